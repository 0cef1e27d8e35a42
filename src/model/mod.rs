//! Closed forms and recurrences that need no simulation.
