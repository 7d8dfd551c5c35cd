import Postgres

/// The history of the database, oldest first. The order is a decision, so it is written by hand;
/// HouseTests compare it with the folder.
package enum Schema {}
