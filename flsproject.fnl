;; For fennel-ls: where modules are, and which globals all three VMs have. The
;; extra ones are tools/globals-spec.txt.
{:fennel-path "fnl/?.fnl;fnl/?/init.fnl;spec/?.fnl;spec/?/init.fnl;./?.fnl"
 :macro-path "fnl/?.fnl;fnl/?/init-macros.fnl;spec/?.fnl"
 :lua-version "intersection"
 :extra-globals "after_each arg before_each describe finally insulate it lazy_setup lazy_teardown mock pending setup spy stub teardown"
 :lints {:no-decreasing-comparison true}}
