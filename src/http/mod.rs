//! HTTP/1.1 as functions over bytes.
