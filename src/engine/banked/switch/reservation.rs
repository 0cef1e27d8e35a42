//! Acquisition of output lanes by synchronous worms (docs/reference/timing.md, R8.4 to R8.15). The
//! block of `hw` works on the field of one switch, for as long as one of its inputs asks for lanes.

use wormscope_hw::reservation::{self, Asking, In};
use wormscope_hw::{GroupMask, LaneMask, feedback};

use super::{Bank, Params, Pins, Waits};
use crate::stats::CycleAccount;

impl Bank {
    /// The variant of [`Bank::acquire`] for synchronous worms. Returns the granted lanes. A switch
    /// with an asking input is evaluated in every cycle.
    #[cold] // Inlined it costs every other mode 1 % of its instructions.
    #[inline(never)]
    pub(super) fn reserve<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        lanes: u64,
        pins: &mut P,
        account: &mut CycleAccount,
    ) -> u64 {
        let (mut granted, mut left) = (0, self.q.arbitrate & lanes);
        while left != 0 {
            let first = p.fields.first(left.trailing_zeros() as usize);
            let field = p.fields.field(first);
            left &= !field;
            granted |= self.reserve_at(p, now, first, pins, account);
            self.q.arbitrate = self.q.arbitrate & !field | self.q.asking & field;
        }
        granted
    }

    /// The same at the switch whose field begins at bit `first`.
    fn reserve_at<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        first: u8,
        pins: &mut P,
        account: &mut CycleAccount,
    ) -> u64 {
        let inputs = usize::from(first)..usize::from(first + p.in_lanes);
        let request = |i: usize| {
            if self.q.asking >> i & 1 == 0 {
                return Asking::default();
            }
            let q = &self.ins[i];
            let head = pins.tree(q.worm);
            let order = feedback::order(now, head.since, pins.age(q.worm));
            Asking { groups: GroupMask(q.wanted), head, order }
        };
        let asked: Vec<Asking> = inputs.clone().map(request).collect();
        let [free, with_credit] = [self.q.free, self.q.credit].map(|lanes| LaneMask(lanes >> first));
        let pins_of = In { asked: &asked, free, with_credit };
        let locks = self.locks[inputs.clone()].to_vec();
        let (out, locks) = reservation::eval(&p.group_lanes.map(LaneMask), pins_of, locks);
        self.locks[inputs.clone()].copy_from_slice(&locks);
        let mut granted = 0;
        for of in &out.grants {
            let (i, lane) = (usize::from(first + of.input), first + of.lane);
            self.grant(p, now, account, i, of.group.into(), lane);
            granted |= 1 << lane;
        }
        for n in out.ready {
            pins.tell(self.ins[usize::from(first + n)].worm, feedback::In { ready: 1, ..feedback::In::default() });
        }
        for i in inputs.filter(|i| asked[i - usize::from(first)].groups != GroupMask::NONE) {
            let lanes = self.readers[i].lanes;
            if self.q.asking >> i & 1 != 0 {
                self.wait_for_lanes(now, account, i);
            } else {
                let (branches, onward) = (lanes.count_ones(), (lanes & !self.to_nodes).count_ones());
                pins.tell(self.ins[i].worm, feedback::In { branches, onward, ..feedback::In::default() });
            }
        }
        granted
    }

    /// Input `i`, if its worm has one branch, waits on: for its lane, or for the other heads.
    fn wait_for_lanes(&mut self, now: u32, account: &mut CycleAccount, i: usize) {
        let (q, locks) = (&mut self.ins[i], !self.locks[i].lanes.is_empty());
        if self.q.replicating >> i & 1 != 0 {
            return;
        }
        let waits = Waits { lane: u8::from(!locks), sibling: u8::from(locks), ..Waits::NONE };
        // A cycle with stripped flits counts for the header. The wait begins after this cycle.
        if waits != q.waits && now.wrapping_add(1) != q.since {
            account.add(q.waits, now.wrapping_sub(q.since));
            q.since = now;
        }
        q.waits = waits;
    }
}
