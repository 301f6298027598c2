//! Integration tests of the front end for P.

mod checkout;
mod fuzz;
mod limits;
mod projects;
mod static_errors;
