-- For luacheck, which reads generated/wireshark/wireloom.lua in `make lint`.
std = "lua52" -- of Wireshark before 4.4; later ones have Lua 5.4
max_line_length = 120
ignore = {"431"} -- a local variable may have the name of a function such as `field`
read_globals = {
  "base", "bit32", "ByteArray", "DESEGMENT_ONE_MORE_SEGMENT", "DissectorTable", "expert", "Int64", "NSTime", "Pref",
  "Proto", "ProtoExpert", "ProtoField", "Struct", "UInt64",
}
