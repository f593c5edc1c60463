//! The bridge in a real VM: these tests link it, so they are built without the feature `module`.

mod memory;

use mlua::{Lua, Table};

use crate::json::MAX_TEXT;

fn lua() -> Lua {
    let lua = Lua::new();
    let json: Table = crate::lua::open(&lua)
        .and_then(|core| core.get("json"))
        .expect("the bridge");
    lua.globals().set("json", json).expect("a global");
    lua
}

/// Runs a chunk that asserts by itself.
fn check(chunk: &str) {
    lua().load(chunk).exec().unwrap_or_else(|e| panic!("{e}"));
}

/// Encodes the value of an expression.
fn encode(expression: &str) -> Result<String, String> {
    let (text, message): (Option<String>, Option<String>) = lua()
        .load(format!("return json.encode({expression})"))
        .eval()
        .unwrap_or_else(|e| panic!("{expression}: {e}"));
    text.ok_or_else(|| message.expect("a message"))
}

#[test]
fn a_document_goes_round_unchanged() {
    // DEV-DATA-1, 4, 6, 7, 8
    for text in [
        "null",
        "true",
        r#"{"l":[],"n":[[],{}],"o":{}}"#,
        r#"[1,-1,0,1.5,"x",[null,false]]"#,
        r#"["😀","é","a\u0000b","\"\\\b\f\n\r\t"]"#,
        "[9007199254740991,9007199254740992,9007199254740993,1752846191234567890]",
        "[-9223372036854775808,9223372036854775807,9223372036854775808,18446744073709551615,-9007199254740993]",
        "[[[[[[[[[[[[]]]]]]]]]]]]",
    ] {
        let back: String = lua().load("return json.encode(json.decode(...))").call(text).unwrap();
        let sort = |t: &str| serde_json::from_str::<serde_json::Value>(t).unwrap();
        assert_eq!(sort(&back), sort(text));
        if !text.contains('{') {
            assert_eq!(back, text);
        }
    }
}

#[test]
fn escapes_become_characters() {
    check(
        r#"
        local v = json.decode('["\\ud83d\\ude00","\\uD834\\uDD1E","a\\/b\\u0041\\u4e2d\\b\\f",{"\\u0061\\/":1}]')
        assert(v[1] == "\240\159\152\128" and #v[1] == 4)
        assert(v[2] == "\240\157\132\158")
        assert(v[3] == "a/bA\228\184\173\b\f")
        assert(v[4]["a/"] == 1)
        "#,
    );
}

#[test]
fn what_a_value_is_survives() {
    check(
        r#"
        local v = json.decode('{"null":null,"list":[1],"empty":[],"object":{},"dup":1,"dup":2}')
        assert(v.null == json.null and tostring(v.null) == "null")
        assert(getmetatable(v.list).__jsontype == "array")
        assert(getmetatable(v.object).__jsontype == "object")
        assert(getmetatable(v) == nil)
        assert(v.dup == 2, "the last one wins")
        table.remove(v.list)
        assert(json.encode(v.list) == "[]", "an array stays one")
        v.object.x = 1
        assert(json.encode(v.object) == '{"x":1}')
        v.object.x = nil
        assert(json.array(json.object()) and json.encode(json.array(v.object)) == "[]", "a mark can change")
        -- Marks that somebody else made, as json-marks.fnl does.
        local mark = function(kind) return setmetatable({}, {__jsontype = kind}) end
        assert(json.encode({mark "array", mark "object", mark "null"}) == "[[],{},null]")
        "#,
    );
}

#[test]
fn large_integers_keep_their_digits() {
    check(
        r#"
        local v = json.decode("[9223372036854775808,9223372036854775808,18446744073709551615]")
        assert(type(v[1]) == "userdata" and tostring(v[1]) == "9223372036854775808")
        assert(v[1] == v[2] and v[1] ~= v[3])
        assert(json.encode({id = v[3]}) == '{"id":18446744073709551615}')
        assert(tostring(json.integer("-9223372036854775808")) == "-9223372036854775808")
        assert(json.encode(json.integer(5)) == "5")
        for _, bad in ipairs({"18446744073709551616", "1.5", "x", "", "+1"}) do
          local ok, why = pcall(json.integer, bad)
          assert(not ok and why:find("is not an integer", 1, true), why)
        end
        assert(not pcall(function() return v[1] + 1 end), "no arithmetic")
        assert(v[1] ~= 2^63, "nor is it a number")
        assert(json.encode(json.decode("1e3")) == (math.type and "1000.0" or "1000"))
        assert(json.decode("18446744073709551616") == 2^64)
        "#,
    );
}

#[test]
fn integers_never_become_fractions() {
    for (expression, text) in [
        ("1", "1"),
        (
            "{1, 2^31, 2^53}",
            if cfg!(feature = "lua54") {
                "[1,2147483648.0,9007199254740992.0]"
            } else {
                "[1,2147483648,9007199254740992]"
            },
        ),
        ("-0.0", "-0.0"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("1e300", "1e+300"),
    ] {
        assert_eq!(encode(expression).as_deref(), Ok(text), "{expression}");
    }
}

#[test]
fn tables_are_lists_or_objects_or_errors() {
    // DEV-DATA-5, DEV-TOOL-5
    for (expression, result) in [
        ("{}", Ok("{}")),
        ("{1, 2, 3}", Ok("[1,2,3]")),
        ("{a = 1}", Ok(r#"{"a":1}"#)),
        ("{['1'] = 1}", Ok(r#"{"1":1}"#)),
        (
            "(function() local t = {} for i = 5, 1, -1 do t[i] = i end return t end)()",
            Ok("[1,2,3,4,5]"),
        ),
        (
            "(function() local t = {1, 2, 3} t[3] = nil return t end)()",
            Ok("[1,2]"),
        ),
        ("(function() local t = {a = 1, 1} t.a = nil return t end)()", Ok("[1]")),
        ("{json.array(), json.object(), json.array{}}", Ok("[[],{},[]]")),
        ("{1, nil, 3}", Err("holes")),
        ("{[1] = 1, [1000000] = 1}", Err("holes")),
        ("{[0x12345678] = true}", Err("holes")),
        ("{1, 2, a = 3}", Err("\"a\" beside others")),
        ("{[0] = 1}", Err("the key 0 ")),
        ("{[-1] = 1}", Err("the key -1 ")),
        ("{[1.5] = 1}", Err("the key 1.5 ")),
        ("{[true] = 1}", Err("true or false")),
        ("{[{}] = 1}", Err("of another type")),
        ("json.array{a = 1}", Err("\"a\" beside others")),
        ("json.array{[2] = 1}", Err("holes")),
        ("json.object{1}", Err("the key 1 ")),
    ] {
        match (encode(expression), result) {
            (Ok(text), Ok(expected)) => assert_eq!(text, expected, "{expression}"),
            (Err(message), Err(part)) => assert!(message.contains(part), "{expression}: {message}"),
            (ours, expected) => panic!("{expression}: {ours:?}, expected {expected:?}"),
        }
    }
}

#[test]
fn lists_whose_keys_are_out_of_order_are_written_once_at_every_level() {
    check(
        r#"
        local value = "x"
        for _ = 1, 100 do
          local list = {}
          for _, i in ipairs({4, 2, 3}) do list[i] = i end
          list[1] = value
          value = list
        end
        local text = assert(json.encode(value))
        assert(text == ("["):rep(100) .. '"x"' .. (",2,3,4]"):rep(100), text)
        "#,
    );
}

#[test]
fn what_cannot_be_json_is_named_with_its_path() {
    // DEV-DATA-2, 3, DEV-TOOL-5
    for (expression, message) in [
        (
            "{result = {content = {1, {data = print}}}}",
            "result.content[2].data: a function cannot be JSON",
        ),
        ("print", "a function cannot be JSON"),
        ("{coroutine.create(function() end)}", "[1]: a coroutine cannot be JSON"),
        ("{io.stdout}", "[1]: a userdata cannot be JSON"),
        ("{x = 0/0}", "x: NaN cannot be JSON"),
        ("{x = -1/0}", "x: infinity cannot be JSON"),
        (
            "{[('k'):rep(1000)] = print}",
            &*format!("[\"{}\"…]: a function cannot be JSON", "k".repeat(60)),
        ),
        (
            "{['a b'] = {'\\128'}}",
            "[\"a b\"][1]: a string that is not valid UTF-8 (for bytes, base64 is the way)",
        ),
    ] {
        assert_eq!(encode(expression), Err(message.into()), "{expression}");
    }
    let key = encode("{['\\255'] = 1}").unwrap_err();
    assert!(key.contains("not valid UTF-8"), "{key}");
    assert_eq!(
        encode("{'\\255', ['\\254'] = nil}, {invalid_utf8 = 'replace'}").as_deref(),
        Ok("[\"\u{fffd}\"]")
    );
}

#[test]
fn nesting_ends_where_the_limit_is() {
    // DEV-DATA-9
    check(
        r#"
        local function nest(n) local t = {} for _ = 2, n do t = {t} end return t end
        assert(json.encode(nest(127)))
        assert(json.decode(json.encode(nest(127))))
        -- Null is a table, but not a level.
        for _, inner in ipairs({"null", "18446744073709551615", "[]"}) do
          local deep = ("["):rep(126) .. inner .. ("]"):rep(126)
          assert(json.encode(json.decode(deep)) == deep)
        end
        local deepest = ("["):rep(127) .. "null" .. ("]"):rep(127)
        assert(json.encode(json.decode(deepest)) == deepest)
        local text, why = json.encode(nest(128))
        assert(not text and why:find("nested deeper than 127 levels", 1, true), why)
        local loop = {} loop.self = {loop}
        text, why = json.encode(loop)
        assert(not text and why:find("holds itself", 1, true) and #why < 300, why)
        local value, wrong = json.decode(("["):rep(100000))
        assert(value == nil and wrong:find("recursion limit", 1, true), wrong)
        "#,
    );
}

#[test]
fn bad_text_is_an_error_with_its_place() {
    // DEV-RPC-4
    check(
        r#"
        for text, place in pairs({[""] = 0, ["{} x"] = 3, ["[1,]"] = 3, ["\"\128\""] = 1}) do
          local value, why = json.decode(text)
          assert(value == nil and why:find("invalid JSON at byte " .. place, 1, true), why)
        end
        "#,
    );
}

#[test]
fn misuse_raises_at_the_place_of_the_call() {
    check(
        r#"
        for part, misuse in pairs({
          ["takes a string"] = function() json.decode(5) end,
          ["must be a table"] = function() json.encode({}, 5) end,
          ["has one option"] = function() json.encode({}, {pretty = true}) end,
          ["\"error\" or \"replace\""] = function() json.encode({}, {invalid_utf8 = "x"}) end,
          ["a metatable of its own"] = function() json.array(setmetatable({}, {})) end,
          ["json.array cannot mark"] = function() json.array(json.null) end,
          ["json.object cannot mark"] = function() json.object(json.raw("1")) end,
          ["json.null cannot be changed"] = function() json.null.x = 1 end,
          ["a table, not string"] = function() json.object("x") end,
          ["a string, not table"] = function() json.raw({}) end,
        }) do
          local ok, why = pcall(misuse)
          assert(not ok and type(why) == "string" and why:find(part, 1, true), tostring(why))
        end
        "#,
    );
}

#[test]
fn raw_text_is_written_as_it_stands() {
    check(
        r#"
        assert(json.encode({json.raw('{"a": 1.0}')}) == '[{"a": 1.0}]')
        local none, why = json.raw("{")
        assert(none == nil and why:find("invalid JSON", 1, true))
        local text, wrong = json.encode(setmetatable({}, {__jsontype = "raw"}))
        assert(text == nil and wrong:find("json.raw makes them", 1, true))
        "#,
    );
}

#[test]
fn metamethods_are_not_asked() {
    check(
        r#"
        local t = setmetatable({1}, {__index = error, __len = error, __pairs = error})
        assert(json.encode(t) == "[1]")
        "#,
    );
}

#[test]
fn a_text_is_as_long_as_the_limit_and_no_longer() {
    // Raw texts, so that it takes only copying: "…" of one MiB each, a comma between them and brackets around them.
    check(&format!(
        r#"
        local limit, mib = {MAX_TEXT}, 2^20
        local piece = assert(json.raw('"' .. ("x"):rep(mib - 3) .. '"'))
        local list = {{}}
        for i = 1, limit / mib - 1 do list[i] = piece end
        -- Each takes one byte less than a MiB, and its comma; the brackets are two more.
        list[#list + 1] = json.raw('"' .. ("x"):rep(mib - 4) .. '"')
        assert(#assert(json.encode(list)) == limit)
        list[#list] = json.raw('"' .. ("x"):rep(mib - 3) .. '"')
        local text, why = json.encode(list)
        assert(not text and why:find("would be longer than", 1, true), why)
        "#
    ));
}

#[test]
fn opened_again_it_knows_what_it_made_before() {
    let lua = lua();
    lua.load("before = json.decode('[null,18446744073709551615,{},[]]')")
        .exec()
        .unwrap();
    let again: Table = crate::lua::open(&lua).unwrap().get("json").unwrap();
    lua.globals().set("again", again).unwrap();
    lua.load(
        r#"
        assert(again.encode(before) == "[null,18446744073709551615,{},[]]")
        assert(again.null == json.null and again.array_mt == getmetatable(before))
        assert(again.decode("18446744073709551615") == before[2])
        "#,
    )
    .exec()
    .unwrap();
}

#[cfg(feature = "luajit")]
#[test]
fn a_cdata_cannot_be_json() {
    assert_eq!(encode("{1LL}").unwrap_err(), "[1]: a cdata cannot be JSON");
}
