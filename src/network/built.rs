//! A checked network, with its wiring and its routing function.

use super::routing::Routes;
use super::{Misfit, Network, Wiring};

/// A checked network with its wiring and its routing function, from which an engine is made. Only
/// [`Network::build`] makes one.
#[derive(Clone, Debug)]
pub struct Built {
    network: Network,
    wiring: Wiring,
    routes: Routes,
}

impl Network {
    /// Checks the network and makes its wiring and its routing function.
    ///
    /// # Errors
    /// The first rule that the network breaks; see [`Network::check`].
    pub fn build(&self) -> Result<Built, Misfit> {
        self.check()?;
        let wiring =
            Wiring::from(self.blueprint().build().map_err(|why| why.within("topology"))?).for_trees(self.routing());
        let routes = Routes::new(self.routing(), &wiring);
        Ok(Built { network: self.clone(), wiring, routes })
    }
}

impl Built {
    /// Parameters of the network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Wiring of the network.
    #[must_use]
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Routing function of the network.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        &self.routes
    }
}
