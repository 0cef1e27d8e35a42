//! Regression of wormscope.
