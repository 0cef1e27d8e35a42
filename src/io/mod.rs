//! Input and output: words of messages, columns and numbers in print, files.

pub mod console;
pub mod glob;
pub mod input;
pub mod output;
pub mod statistics;
pub mod table;
