//! Links the library so that it is never unmapped: a host may close its Lua state, and with it `dlclose` us, while the IO
//! thread is still returning from its last function.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    }
}
