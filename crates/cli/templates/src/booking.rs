//! A program: several customers try to book the only seat at an office.
//!
//! Processes are ordinary code. A customer first asks whether the seat is free and then books it.
//! Between the two requests, another customer may book the seat.

use manyworlds::models::{Build, Model, Param};
use manyworlds::prelude::*;

const PARAMS: &[Param] = &[Param::int(
    "customers",
    2,
    1..=5,
    "customers who want the seat",
)];

/// The correct protocol.
pub const MODEL: Model = Model {
    name: "booking",
    summary: "one seat, several customers: one of them gets it",
    params: PARAMS,
    build: Build::Program(|params| {
        let customers = params.int("customers");
        Ok(Program::new(move || book(customers, true)))
    }),
};

/// The office books the seat without checking that it is still free.
pub const BUG: Model = Model {
    name: "booking-bug",
    summary: "the office does not look again before it books",
    build: Build::Program(|params| {
        let customers = params.int("customers");
        Ok(Program::new(move || book(customers, false)))
    }),
    ..MODEL
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Request {
    IsItFree(Pid),
    Book(Pid),
    Goodbye,
}

fn office(mut customers: usize, looks_again: bool) {
    let mut free = true;
    while customers > 0 {
        match recv() {
            Request::IsItFree(customer) => send(customer, free),
            Request::Book(customer) => {
                send(customer, free || !looks_again);
                free = false;
            }
            Request::Goodbye => customers -= 1,
        }
    }
}

/// Returns whether the customer got the seat.
fn customer(office: Pid) -> bool {
    send(office, Request::IsItFree(me()));
    let mut mine = recv();
    if mine {
        send(office, Request::Book(me()));
        mine = recv();
    }
    send(office, Request::Goodbye);
    mine
}

fn book(customers: usize, looks_again: bool) {
    let office = process("office")
        .spawn(move || office(customers, looks_again))
        .pid();
    let start = |i| process(format_args!("customer{i}")).spawn(move || customer(office));
    let customers: Vec<_> = (0..customers).map(start).collect();
    let seated = customers
        .into_iter()
        .filter(|customer| customer.join())
        .count();
    assert_eq!(seated, 1, "customers on one seat");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[manyworlds::test]
    fn one_customer_gets_the_seat() {
        book(2, true);
    }

    #[test]
    fn two_may_ask_before_either_books() {
        let answer = check(|| book(2, false)).run().unwrap();
        let violation = answer.violation().expect("the seat is booked twice");
        assert!(violation.message.contains("customers on one seat"));
    }
}
