//! A network that has been checked, as wired and routed.

use super::routing::Routes;
use super::{Misfit, Network, Wiring};

/// A network that has been checked, with its wiring and its routing function: what an engine is
/// made of. There is no other way to one than [`Network::build`].
#[derive(Clone, Debug)]
pub struct Built {
    network: Network,
    wiring: Wiring,
    routes: Routes,
}

impl Network {
    /// The network as wired, with its routing function.
    ///
    /// # Errors
    /// The first rule that it breaks, as [`Network::check`] has it.
    pub fn build(&self) -> Result<Built, Misfit> {
        self.check()?;
        let wiring =
            Wiring::from(self.blueprint().build().map_err(|why| why.within("topology"))?).for_trees(self.routing());
        let routes = Routes::new(self.routing(), &wiring);
        Ok(Built { network: self.clone(), wiring, routes })
    }
}

impl Built {
    /// Its parameters.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Its wiring.
    #[must_use]
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Its routing function.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        &self.routes
    }
}
