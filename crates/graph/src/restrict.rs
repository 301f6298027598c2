//! SetRF(G|kept, r, e): the graph in which receive `r` reads the later send `e`, without the events stamped after `r` that are not
//! porf-before `e` (Must §4, Algorithm 1, lines 11 and 13). The only place where a graph is copied.

use crate::graph::{EventId, Graph, Kind, NONE, ZERO_CLOCK};
use manyworlds_core::{Cursor, Locals};

/// Reusable buffers for the new ids of events and threads.
#[derive(Default)]
pub struct Restrict {
    event: Vec<EventId>,
    thread: Vec<u32>,
}

impl Restrict {
    /// Writes the restricted graph into `to` and returns the thread of `r`. Events of `from` after `e` are ignored.
    pub fn run<L: Locals>(&mut self, locals: &mut L, from: &Graph, r: EventId, e: EventId, to: &mut Graph) -> u32 {
        to.clear();
        self.rename(from, r, e);
        self.copy_threads(locals, from, to);
        self.copy_events(from, r, e, to);
        self.settle_threads(locals, from, to);
        self.redirect(locals, r, e, to)
    }

    fn rename(&mut self, from: &Graph, r: EventId, e: EventId) {
        self.event.clear();
        let cause = *from.event(e);
        let mut kept = 0;
        for x in 0..=e {
            let event = from.event(x);
            let keep = x <= r || event.index < from.known(&cause, event.thread);
            self.event.push(if keep { kept } else { NONE });
            kept += u32::from(keep);
        }
        self.thread.clear();
        let mut kept = 0;
        for th in &from.threads {
            let keep = th.spawner == NONE || self.new_id(th.spawner) != NONE;
            self.thread.push(if keep { kept } else { NONE });
            kept += u32::from(keep);
        }
    }

    /// The new id of an event, or `NONE` if the event is not kept.
    fn new_id(&self, e: EventId) -> EventId {
        self.event.get(e as usize).copied().unwrap_or(NONE)
    }

    fn copy_threads<L: Locals>(&mut self, locals: &mut L, from: &Graph, to: &mut Graph) {
        to.clocks.widen(from.threads.len() as u32);
        to.clocks.push_zero();
        let all = self.thread.iter().all(|&t| t != NONE);
        for (old, th) in from.threads.iter().enumerate() {
            if self.thread[old] == NONE {
                continue;
            }
            let clock = if th.spawner == NONE { ZERO_CLOCK } else { self.copy_clock(from, th.first_clock, all, to) };
            let spawner = self.new_id(th.spawner);
            let new = to.open_thread(locals, th.proc, th.cursor, clock, spawner);
            to.threads[new as usize].daemon = th.daemon;
            to.threads[new as usize].monitor = th.monitor;
        }
    }

    fn copy_clock(&self, from: &Graph, row: u32, all: bool, to: &mut Graph) -> u32 {
        match all {
            true => to.clocks.push_same(&from.clocks, row, from.threads.len()),
            false => to.clocks.push_from(&from.clocks, row, &self.thread),
        }
    }

    fn copy_events(&mut self, from: &Graph, r: EventId, e: EventId, to: &mut Graph) {
        let all = self.thread.iter().all(|&t| t != NONE);
        for x in 0..=e {
            let id = self.event[x as usize];
            if id == NONE {
                continue;
            }
            let mut event = *from.event(x);
            let learns = (event.kind == Kind::Recv && event.link != NONE) || event.kind == Kind::Join;
            event.thread = self.thread[event.thread as usize];
            if event.kind != Kind::Choose && event.kind != Kind::Recv && event.peer != NONE {
                event.peer = self.thread[event.peer as usize];
            }
            if event.link != NONE {
                event.link = self.new_id(event.link);
            }
            event.clock =
                if learns && x != r { self.copy_clock(from, event.clock, all, to) } else { to.clock_of(event.thread) };
            match event.kind {
                Kind::Send if event.peer != NONE => {
                    let dst = &mut to.threads[event.peer as usize];
                    dst.arrivals.push(id);
                    // `r` no longer reads its previous source.
                    if event.link == NONE || event.link == self.event[r as usize] {
                        event.link = NONE;
                        dst.pending.push(id);
                    }
                }
                Kind::Join => to.threads[event.peer as usize].joins.push(id),
                Kind::Choose => to.losses += u32::from(event.flag && event.value == 1),
                _ => {}
            }
            to.threads[event.thread as usize].events.push(id);
            to.events.push(event);
        }
    }

    /// Sets the cursor of each thread to before its first event that is not kept.
    fn settle_threads<L: Locals>(&mut self, locals: &mut L, from: &Graph, to: &mut Graph) {
        for (old, th) in from.threads.iter().enumerate() {
            let new = self.thread[old];
            let Some(kept) = to.threads.get(new as usize).map(|th| th.events.len()) else { continue };
            if let Some(&gone) = th.events.get(kept) {
                to.place(locals, new, from.event(gone).at);
            }
        }
    }

    /// Makes `r` read `e`; returns the thread of `r`.
    fn redirect<L: Locals>(&mut self, locals: &mut L, r: EventId, e: EventId, to: &mut Graph) -> u32 {
        let (r, e) = (self.event[r as usize], self.event[e as usize]);
        let (thread, value) = (to.event(r).thread, to.event(e).value);
        let before = {
            let th = &to.threads[thread as usize];
            let index = to.event(r).index as usize;
            if index == 0 { th.first_clock } else { to.event(th.events[index - 1]).clock }
        };
        let clock = to.read_clock(before, e);
        let receive = &mut to.events[r as usize];
        (receive.link, receive.clock) = (e, clock);
        let node = locals.step(receive.at.node, value);
        to.events[e as usize].link = r;
        to.threads[thread as usize].pending.retain(|&s| s != e);
        to.place(locals, thread, Cursor { node, off: 0 });
        thread
    }
}
