//! Integration tests of the front end for P.

mod checkout;
mod fuzz;
mod limits;
mod lowering;
mod projects;
mod static_errors;
