-- What all dissectors of Wireloom share. Each dissector loads its own copy of this file from its own folder, so the
-- state below (types, messages, preferences) belongs to one protocol. Wireshark also loads the file by itself if it is
-- in the plugin folder: then it registers nothing.
--
--   1  Numbers              whole numbers of any size
--   2  Expressions          what the conditions and sizes of a dissector call
--   3  Values               how single values are read: integers, decimals, text
--   4  Checksums
--   5  Nodes                the declarations that a dissector consists of
--   6  Fields of Wireshark  what is registered, and how values are added to the tree
--   7  Reader               reads values, lists and structs
--   8  Reading nodes        reads the nodes of a record and its message
--   9  Framing              finds where records begin and end
--  10  Registration         preferences, ports and the dissector itself
--
-- Three arguments occur throughout. `this` has the values of the innermost struct and `record` those of the header.
-- `frame` says where fields and sections are: frame[name] = {start, end, frame of the struct in it}, in bytes from the
-- start of the record. Its numbered entries are [0] the bytes left in the section, [1] the arguments of the type,
-- [2] the index of the current list item, and [3] the positions of list items by the list's name.

local floor, huge = math.floor, math.huge

-- =============================================================================
-- 1  Numbers
-- =============================================================================
-- A whole number is a Lua number if a double holds it exactly. Larger ones are lists of 24-bit digits, least
-- significant first, with a sign. Lua's operators compare both kinds; arithmetic needs the functions below.

local SAFE, LIMB = 2 ^ 53, 2 ^ 24
local Big = {}

local function limbs(value)
  if getmetatable(value) == Big then return value.sign, value end
  local sign, found = value < 0 and -1 or 1, {}
  value = value * sign
  while value > 0 do
    found[#found + 1] = value % LIMB
    value = floor(value / LIMB)
  end
  return sign, found
end

local function whole(sign, found)
  while found[#found] == 0 do found[#found] = nil end
  if #found < 3 or (#found == 3 and found[3] < 32) then
    local value = 0
    for i = #found, 1, -1 do value = value * LIMB + found[i] end
    return sign * value
  end
  found.sign = sign
  return setmetatable(found, Big)
end

local function compared(one, other)
  for i = math.max(#one, #other), 1, -1 do
    local difference = (one[i] or 0) - (other[i] or 0)
    if difference ~= 0 then return difference < 0 and -1 or 1 end
  end
  return 0
end

-- Negative, 0 or positive if a is less than, equal to or greater than b; nil if one is NaN.
local function order(a, b)
  if a ~= a or b ~= b then return nil end
  if a == huge or b == -huge then return 1 end
  if a == -huge or b == huge then return -1 end
  local sa, la = limbs(a)
  local sb, lb = limbs(b)
  return sa ~= sb and sa or sa * compared(la, lb)
end

Big.__eq = function(a, b) return order(a, b) == 0 end
Big.__lt = function(a, b) local found = order(a, b) return found ~= nil and found < 0 end
Big.__le = function(a, b) local found = order(a, b) return found ~= nil and found <= 0 end

local function plain(value)
  return type(value) == "number" and -SAFE < value and value < SAFE
end

local function neg(value)
  if plain(value) then return -value end
  local sign, found = limbs(value)
  return whole(-sign, {table.unpack(found)})
end

local function add(a, b)
  if plain(a) and plain(b) and plain(a + b) then return a + b end
  local sa, la = limbs(a)
  local sb, lb = limbs(b)
  local found, carry, direction = {}, 0, sa == sb and 1 or -1
  if direction < 0 and compared(la, lb) < 0 then sa, la, lb = sb, lb, la end
  for i = 1, math.max(#la, #lb) + 1 do
    local sum = (la[i] or 0) + carry + (lb[i] or 0) * direction
    found[i], carry = sum % LIMB, floor(sum / LIMB)
  end
  return whole(sa, found)
end

local function sub(a, b)
  return add(a, neg(b))
end

local function mul(a, b)
  if plain(a) and plain(b) and plain(a * 1.0 * b) then return a * b end
  local sa, la = limbs(a)
  local sb, lb = limbs(b)
  local found = {}
  for i = 1, #la do
    local carry = 0
    for j = 1, #lb + 1 do
      local sum = (found[i + j - 1] or 0) + la[i] * (lb[j] or 0) + carry
      found[i + j - 1], carry = sum % LIMB, floor(sum / LIMB)
    end
  end
  return whole(sa * sb, found)
end

-- The quotient, rounded down, and the remainder.
local function divide(a, b)
  if plain(a) and plain(b) then
    local rest = math.fmod(a, b)
    if rest ~= 0 and (rest < 0) ~= (b < 0) then rest = rest + b end
    if plain(a - rest) then return (a - rest) / b, rest end
  end
  local sa, la = limbs(a)
  local sb, lb = limbs(b)
  local quotient, rest = 0, 0
  if #lb == 1 then
    local found = {}
    for i = #la, 1, -1 do
      rest = rest * LIMB + la[i]
      found[i], rest = floor(rest / lb[1]), rest % lb[1]
    end
    quotient = whole(1, found)
  else
    local divisor = whole(1, {table.unpack(lb)})
    for i = #la, 1, -1 do
      for bit = 23, 0, -1 do
        rest, quotient = add(add(rest, rest), floor(la[i] / 2 ^ bit) % 2), add(quotient, quotient)
        if divisor <= rest then rest, quotient = sub(rest, divisor), add(quotient, 1) end
      end
    end
  end
  if sa ~= sb then
    quotient = neg(quotient)
    if rest ~= 0 then quotient = sub(quotient, 1) end
  end
  return quotient, sub(a, mul(quotient, b))
end

local function div(a, b) return (divide(a, b)) end
local function mod(a, b) return (select(2, divide(a, b))) end

-- A whole number in decimal, with `scale` digits after the point.
local function decimal(value, scale)
  local text, is_negative = "", value < 0
  if is_negative then value = sub(0, value) end
  while value ~= 0 or #text <= scale do
    local digit
    value, digit = divide(value, 10)
    text = string.format("%d", digit) .. text
  end
  if scale > 0 then text = text:sub(1, -scale - 1) .. "." .. text:sub(-scale) end
  return (is_negative and "-" or "") .. text
end

local function power(exponent)
  local found = 1
  for _ = 1, exponent do found = add(found, found) end
  return found
end

-- The double nearest to value / by, as a whole number and the exponent of the power of two to multiply it by.
local function nearest(value, by)
  if value == 0 then return 0, 0 end
  local sign, exponent = 1, 0
  if value < 0 then sign, value = -1, neg(value) end
  while value < mul(by, 2 ^ 52) do value, exponent = add(value, value), exponent - 1 end
  while mul(by, 2 ^ 53) <= value do by, exponent = add(by, by), exponent + 1 end
  local found, rest = divide(value, by)
  local half = order(add(rest, rest), by)
  if half > 0 or (half == 0 and found % 2 == 1) then found = found + 1 end
  return sign * found, exponent
end

local function shl(a, b) return mul(a, power(b)) end
local function shr(a, b) return div(a, power(b)) end
local function bnot(a) return sub(-1, a) end

-- `of` gives a result bit for the number of ones among two bits. Negative numbers have endless ones on the left.
local function bitwise(a, b, of)
  local found, unit = 0, 1
  while (a ~= 0 and a ~= -1) or (b ~= 0 and b ~= -1) do
    local digit, x, y = 0
    a, x = divide(a, LIMB)
    b, y = divide(b, LIMB)
    for bit = 0, 23 do
      if of(floor(x / 2 ^ bit) % 2 + floor(y / 2 ^ bit) % 2) then digit = digit + 2 ^ bit end
    end
    found, unit = add(found, mul(unit, digit)), mul(unit, LIMB)
  end
  return of(-a - b) and sub(found, unit) or found
end

local function band(a, b) return bitwise(a, b, function(ones) return ones == 2 end) end
local function bor(a, b) return bitwise(a, b, function(ones) return ones > 0 end) end
local function bxor(a, b) return bitwise(a, b, function(ones) return ones == 1 end) end

-- A whole number of any size from its decimal digits.
local function int(digits)
  local found = 0
  for digit in digits:gmatch("%d") do found = add(mul(found, 10), tonumber(digit)) end
  return digits:sub(1, 1) == "-" and neg(found) or found
end

-- A value as messages show it.
local function shown(value)
  if type(value) == "number" then return ("%.17g"):format(value + 0) end
  return getmetatable(value) == Big and decimal(value, 0) or tostring(value)
end

-- A 64-bit number as Wireshark has it; `new` is UInt64.new or Int64.new.
local function wide(value, new)
  if value < 0 then value = add(value, 2 ^ 64) end
  local _, found = limbs(value)
  local low, middle, high = found[1] or 0, found[2] or 0, found[3] or 0
  return new(low + middle % 256 * LIMB, floor(middle / 256) + high * 65536)
end

-- =============================================================================
-- 2  Expressions
-- =============================================================================
-- Functions that the expressions of a dissector call. A value that is absent is nil.

-- Strings compare by their bytes, whatever the locale.
local Octets = {
  __lt = function(one, other)
    for i = 1, math.min(#one.data, #other.data) do
      if one.data:byte(i) ~= other.data:byte(i) then return one.data:byte(i) < other.data:byte(i) end
    end
    return #one.data < #other.data
  end,
}
Octets.__le = function(one, other) return not Octets.__lt(other, one) end
local function by_bytes(value) return type(value) == "string" and setmetatable({data = value}, Octets) or value end

local function least(found, ...)
  for i = 1, select("#", ...) do
    local value = (select(i, ...))
    if value < found then found = value end
  end
  return found
end

local function greatest(found, ...)
  for i = 1, select("#", ...) do
    local value = (select(i, ...))
    if found < value then found = value end
  end
  return found
end

-- Times that consist of several fields, as microseconds since 1970, in UTC.
local times = {}

-- The time with these fields; nil if the calendar or the clock has no such time.
function times.calendar(year, month, day, hour, minute, second, microsecond)
  for _, bounds in ipairs {
    {year, 1, 9999}, {month, 1, 12}, {day, 1, 31}, {hour, 0, 23}, {minute, 0, 59}, {second, 0, 59},
    {microsecond, -1000000, 999999},
  } do
    local field, first, last = bounds[1], bounds[2], bounds[3]
    if field == nil or field < first or field > last then return nil end
  end
  local is_leap = year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)
  local lengths = {31, is_leap and 29 or 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
  if day > lengths[month] then return nil end
  local years = year - 1
  local days = years * 365 + floor(years / 4) - floor(years / 100) + floor(years / 400) + day - 1 - 719162
  for i = 1, month - 1 do days = days + lengths[i] end
  return add(mul(((days * 24 + hour) * 60 + minute) * 60 + second, 1000000), microsecond)
end

-- The time of an NTP timestamp, which lies in the 2^32 seconds from the `pivot` on; nil if there is none.
function times.ntp(second, fraction, pivot)
  if second == nil or fraction == nil or second < 0 or fraction < 0 then return nil end
  if second >= 2 ^ 32 or fraction >= 2 ^ 32 or (second == 0 and fraction == 0) then return nil end
  local seconds = pivot + (second - 2208988800 - pivot) % 2 ^ 32
  return add(mul(seconds, 1000000), div(mul(fraction, 1000000), 4294967296))
end

-- The seconds since 1970, in UTC, right after the leap seconds since 1980, and how long it is known that there are no
-- others.
times.leaps = {
  362793600, 394329600, 425865600, 489024000, 567993600, 631152000, 662688000, 709948800, 741484800, 773020800,
  820454400, 867715200, 915148800, 1136073600, 1230768000, 1341100800, 1435708800, 1483228800,
}
times.known_until = 1814140800

-- The time of a GPS week, microseconds of it, and more microseconds; nil if there is none.
function times.gps(week, microsecond, part)
  if week == nil or microsecond == nil or part == nil or week < 0 or week > 10000 then return nil end
  if microsecond < 0 or microsecond >= 604800000000 then return nil end
  local time = add(add(mul(week, 604800000000), microsecond), part)
  if time < 0 then return nil end
  time = add(time, 315964800000000)
  for _, leap in ipairs(times.leaps) do
    if time < leap * 1000000 then break end
    time = sub(time, 1000000)
    if time < leap * 1000000 then return nil end
  end
  return time < times.known_until * 1000000 and time or nil
end

local function among(value, ...)
  for i = 1, select("#", ...) do
    if value == (select(i, ...)) then return true end
  end
  return false
end

local function size_of(frame, name)
  local span = frame[name]
  return span and span[2] - span[1] or 0
end

local function offset_of(frame, name)
  local span = frame[name]
  return span and span[1] or 0
end

-- The frame of a nested struct.
local function in_frame(frame, ...)
  for i = 1, select("#", ...) do frame = (frame[(select(i, ...))] or {})[3] or {} end
  return frame
end

-- The value at a path of struct members; nil if one of them is absent.
local function in_struct(values, ...)
  for i = 1, select("#", ...) do
    if values == nil then return nil end
    values = values[(select(i, ...))]
  end
  return values
end

-- An item of a list, counted from 0, or a member of it; nil if there is none.
local function item(values, number, ...)
  if type(values) ~= "table" or type(number) ~= "number" then return nil end
  return in_struct(values[number + 1], ...)
end

local function last_item(values, ...)
  if type(values) ~= "table" then return nil end
  return in_struct(values[#values], ...)
end

-- The position of an item, or of a member of it.
local function item_span(frame, name, number, ...)
  local spans = (frame[3] or {})[name] or {}
  if number == "last" then number = #spans - 1 end
  local span = type(number) == "number" and spans[number + 1] or nil
  for i = 1, select("#", ...) do span = span and ((span[3] or {})[(select(i, ...))] or {0, 0}) end
  return span
end

local function item_size(...)
  local span = item_span(...)
  return span and span[2] - span[1]
end

local function item_offset(...)
  local span = item_span(...)
  return span and span[1]
end

-- The values of the protocol's parameters, which are preferences.
local parameters = {}

-- The value of an expression; nil if it computes with something that is absent.
local function evaluate(expression, this, record, frame)
  local known, value = pcall(expression, this, record, frame)
  if known then return value end
  return nil
end

local function is_whole(value)
  return type(value) == "number" or getmetatable(value) == Big
end

-- Raises the problem of a record: its code, the byte, the field, and what is wrong. With `needed` bytes of the record
-- the problem might not exist.
local function fail(code, at, path, detail, needed)
  error({code = code, at = at, path = path, detail = detail, needed = needed or 0}, 0)
end

-- The same for a wrong value whose end is known: a reader that only looks for the end of a record ignores it.
local function refuse(reader, ...)
  if not reader.open then fail(...) end
end

local function counted(count, what)
  return shown(count) .. " " .. what .. (count == 1 and "" or "s")
end

-- =============================================================================
-- 3  Values
-- =============================================================================
-- Each has a kind and the shape that Wireshark shows it in. Those of kind "number" have a fixed size and read
-- themselves: read(data, at, little, path), where `at` counts from 0.

local function unsigned(data, at, size, little)
  local found = 0
  for i = 1, size do
    local byte = data:byte(little and at + size + 1 - i or at + i)
    found = i > 6 and add(mul(found, 256), byte) or found * 256 + byte
  end
  return found
end

local function is_little(stated, reader_little)
  if stated == "parameter" then return reader_little end
  return stated == "little"
end

-- Wireshark's type for an integer of so many bits, which it has for up to four bytes and for eight.
local function integer_shape(bits, is_signed)
  return (is_signed and "int" or "uint") .. (bits > 32 and 64 or math.ceil(bits / 8) * 8)
end

local function uint(size, stated)
  local shape = integer_shape(8 * size)
  return {kind = "number", shape = shape, size = size, order = stated, read = function(data, at, little)
    return unsigned(data, at, size, is_little(stated, little))
  end}
end

-- `width` bits of an integer, from bit `shift` up.
local function bit_slice(word, shift, width, boolean)
  return {kind = "number", size = word.size, order = word.order, read = function(data, at, little, path)
    local value = mod(shr(word.read(data, at, little, path), shift), power(width))
    if boolean then return value == 1 end
    return value
  end}
end

local function sint(size, stated)
  local top, shape = 2 ^ (8 * size - 1), integer_shape(8 * size, true)
  return {kind = "number", shape = shape, size = size, order = stated, read = function(data, at, little)
    local value = unsigned(data, at, size, is_little(stated, little))
    return value < top and value or sub(value, 2 * top)
  end}
end

-- An integer with as many bytes as its extent says, at most eight. One that follows from it is the `shortest`.
local function sized(is_signed, shortest, lenient, stated, extent)
  return {
    kind = "sized", shape = integer_shape(64, is_signed), signed = is_signed, shortest = shortest, lenient = lenient,
    order = stated, extent = extent,
  }
end

-- The value of a half-precision number.
local function half(bits)
  local sign, exponent, fraction = bits < 0x8000 and 1 or -1, floor(bits / 1024) % 32, bits % 1024
  if exponent == 31 then return fraction == 0 and sign / 0 or 0 / 0 end
  return sign * (exponent == 0 and fraction * 2 ^ -24 or (1024 + fraction) * 2 ^ (exponent - 25))
end

local function float(size, stated)
  if size == 2 then
    return {kind = "number", shape = "float", size = size, order = stated, read = function(data, at, little)
      return half(unsigned(data, at, size, is_little(stated, little)))
    end}
  end
  local code, shape = size == 4 and "f" or "d", size == 4 and "float" or "double"
  return {kind = "number", shape = shape, size = size, order = stated, read = function(data, at, little)
    return (Struct.unpack((is_little(stated, little) and "<" or ">") .. code, data:sub(at + 1, at + size)))
  end}
end

-- A number whose words of 16 bits come in the other order; Wireshark does not read it from its bytes.
local function word_swapped(number)
  return {kind = "number", shape = number.shape, size = number.size, swapped = true, read = function(data, at, little)
    local words = {}
    for i = at + 1, at + number.size, 2 do table.insert(words, 1, data:sub(i, i + 1)) end
    return number.read(table.concat(words), 0, little)
  end}
end

local bool = {kind = "number", shape = "bool", size = 1, read = function(data, at, _, path)
  local value = data:byte(at + 1)
  if value > 1 then fail("invalid", at, path, "0 or 1 expected, found " .. value) end
  return value == 1
end}

-- Packed decimal: a number, or its text if it has a scale. `signs` are the usual sign nibbles after the digits; a
-- `lenient` one also has the other sign nibbles in use.
-- The bytes come in the other order if it is `little`, and the nibbles of each byte if the `low` one is first.
local function bcd(digits, scale, signs, lenient, little, low)
  local size = math.ceil((digits + math.min(1, #signs)) / 2)
  return {kind = "packed", shape = "string", size = size, read = function(data, at, _, path)
    local nibbles = {}
    local function place(i) return little and at + size - 1 - i or at + i end
    for i = 0, size - 1 do
      local byte = data:byte(place(i) + 1)
      local first, second = floor(byte / 16), byte % 16
      if low then first, second = second, first end
      nibbles[#nibbles + 1], nibbles[#nibbles + 2] = first, second
    end
    local last, value, is_other = #nibbles - math.min(1, #signs), 0, false
    if last > digits and nibbles[1] ~= 0 then
      fail("invalid", place(0), path, string.format("a leading nibble 0 expected, found %x", nibbles[1]))
    end
    for i = 1, last do
      if nibbles[i] > 9 then
        local where = place(floor((i - 1) / 2))
        fail("invalid", where, path, string.format("a decimal digit expected, found %x", nibbles[i]))
      end
      value = add(mul(value, 10), nibbles[i])
    end
    local sign = signs == "" and "" or string.format("%x", nibbles[#nibbles])
    if sign ~= "" then
      local minus = (sign == "b" or sign == "d") and value ~= 0
      local usual = minus and signs:sub(-1) or signs:sub(1, 1)
      local function wrong(what) fail("invalid", place(size - 1), path, what .. sign) end
      if sign < "a" then wrong("a sign (a to f) expected, found ") end
      if minus and #signs == 1 then wrong("a number without a minus expected, found the sign ") end
      is_other = sign ~= usual
      if is_other and not lenient then wrong("the sign " .. usual .. " expected, found ") end
      value = minus and sub(0, value) or value
    end
    return scale == 0 and value or decimal(value, scale), is_other
  end}
end

local zoned

do
  -- The zones of plain digits; the bytes of separate signs; and those of digits with plus and with minus, the usual
  -- ones first.
  local zones = {ebcdic = 0xf0, ascii = 0x30}
  local separate_signs = {ebcdic = "\x4e\x60", ascii = "+-"}
  local function ten_from(byte)
    local found = {}
    for i = 0, 9 do found[#found + 1] = string.char(byte + i) end
    return table.concat(found)
  end
  local signed_digits = {
    ebcdic = {
      plus = {ten_from(0xc0), ten_from(0xa0), ten_from(0xe0), ten_from(0xf0)},
      minus = {ten_from(0xd0), ten_from(0xb0)},
    },
    ascii = {plus = {"{ABCDEFGHI", "0123456789"}, minus = {"}JKLMNOPQR", "pqrstuvwxy"}},
  }

  -- The digit of a byte that also has a sign, whether that is a minus, and whether it is an unusual byte.
  local function signed_digit(encoding, byte)
    for name, lists in pairs(signed_digits[encoding]) do
      for i, list in ipairs(lists) do
        local found = list:find(string.char(byte), 1, true)
        if found then return found - 1, name == "minus", i > 1 end
      end
    end
  end

  -- Zoned decimal: a number, or its text if it has a scale. A `lenient` one also has other signs in use.
  function zoned(digits, scale, encoding, sign, lenient)
    local is_separate, is_leading = sign:find("separate") ~= nil, sign:find("leading") ~= nil
    local size, zone = digits + (is_separate and 1 or 0), zones[encoding]
    return {kind = "packed", shape = "string", size = size, read = function(data, at, _, path)
      local place = is_leading and at or at + size - 1
      local function wrong(where, what)
        fail("invalid", where, path, what .. string.format("%02x", data:byte(where + 1)))
      end
      local value, minus, is_other = 0, false, false
      if is_separate then
        local found = separate_signs[encoding]:find(data:sub(place + 1, place + 1), 1, true)
        if not found then wrong(place, "a sign expected, found ") end
        minus = found == 2
      end
      for i = at, at + size - 1 do
        local digit = data:byte(i + 1) - zone
        if i == place and not is_separate and sign ~= "" then
          digit, minus, is_other = signed_digit(encoding, data:byte(i + 1))
          if not digit then wrong(i, "a digit with a sign expected, found ") end
        end
        if not (is_separate and i == place) then
          if digit < 0 or digit > 9 then wrong(i, "a decimal digit expected, found ") end
          value = add(mul(value, 10), digit)
        end
      end
      is_other = is_other or (minus and value == 0)
      if is_other and not lenient then wrong(place, "another sign expected, found ") end
      value = minus and sub(0, value) or value
      return scale == 0 and value or decimal(value, scale), is_other
    end}
  end
end

-- A hexadecimal float of IBM; a `lenient` one also has other forms of a number, and those that a double does not have.
local function ibm(size, lenient, stated)
  return {kind = "packed", shape = "double", size = size, read = function(data, at, little, path)
    local octets = data:sub(at + 1, at + size)
    if is_little(stated, little) then octets = octets:reverse() end
    local exponent, high = octets:byte(1) % 128, unsigned(octets, 1, 3)
    local low = size > 4 and unsigned(octets, 4, 4) or 0
    local fraction = size > 4 and high * 2 ^ 32 + low or high
    local is_other = size > 4 and fraction - high * 2 ^ 32 ~= low
    if high < 2 ^ 20 and (fraction > 0 or exponent > 0) then is_other = true end
    if is_other and not lenient then fail("invalid", at, path, "a number as it is written expected") end
    local number = fraction * 2 ^ (4 * (exponent - 64) - (8 * size - 8))
    return octets:byte(1) > 127 and -number or number, is_other
  end}
end

local signed_forms = {SignedLeb128 = true, ZigZag = true, Protobuf = true}

-- An integer of variable length; a `lenient` one may be longer than necessary.
local function varint(form, bits, lenient)
  local shape = (signed_forms[form] and "int" or "uint") .. (bits > 32 and 64 or 32)
  return {kind = "varint", shape = shape, form = form, bits = bits, lenient = lenient}
end

-- Extents: where a value ends.

local rest = {kind = "rest"}
local function size(bytes) return {kind = "size", bytes = bytes} end
local function prefix(number) return {kind = "prefix", number = number} end
local function up_to(ends, keep, may_miss, unit, lenient)
  return {kind = "until", ends = ends, keep = keep, may_miss = may_miss, unit = unit, lenient = lenient}
end
-- An `open` one takes all bytes left; then padding is only kept in the field's raw bytes.
local function padded(lenient, open, pad, bytes, ending)
  return {kind = "padded", lenient = lenient, open = open, pad = pad, size = bytes, ending = ending}
end
local function bytes(extent) return {kind = "bytes", shape = "bytes", extent = extent} end
local function text(encoding, lenient, extent)
  return {kind = "text", shape = "string", extent = extent, encoding = encoding, lenient = lenient}
end

-- What there is for packed characters, in one table, as Lua has at most 200 local names. `text` is a text of them:
-- `characters` has that of each code, and `padding` is the code behind the last one. Those that a length prefix counts
-- are `justified` to the left or right of bytes with room for another one.
local packing = {}
function packing.text(width, lsb, characters, padding, extent, justified)
  return {
    kind = "text", shape = "string", extent = extent, width = width, lsb = lsb, characters = characters,
    padding = padding, justified = justified,
  }
end

-- A number in ASCII digits: zeros make it `digits` characters long, then `fill` makes it `width`.
local function ascii(base, bits, digits, fill, width, signed, upper, lenient, extent)
  return {
    kind = "ascii", shape = (signed and "int" or "uint") .. (bits > 32 and 64 or 32), base = base, digits = digits,
    fill = fill, width = width, signed = signed, upper = upper, lenient = lenient, extent = extent,
    most = 2 ^ (signed and bits - 1 or bits),
  }
end
local function struct(name, extent, given, items)
  return {kind = "struct", shape = "none", name = name, extent = extent, given = given or {}, items = items or {}}
end

-- A struct inside `depth` others, of `limit` that may be inside each other: only its bytes are shown.
local function deeper(name, depth, limit, given, items)
  return {
    kind = "deeper", shape = "bytes", name = name, depth = depth, limit = limit,
    given = given or {}, items = items or {},
  }
end
local function constant(value) return {kind = "constant", shape = "bytes", value = value} end

-- Decoders give text as UTF-8, or nil and the number of the first wrong byte.

local function utf8_of(point)
  if point < 0x80 then return string.char(point) end
  local tail, limit = "", 0x40
  while point >= limit do
    tail = string.char(0x80 + point % 64) .. tail
    point = floor(point / 64)
    limit = limit == 0x40 and 0x20 or limit / 2
  end
  return string.char((limit == 0x20 and 0xc0 or limit == 0x10 and 0xe0 or 0xf0) + point) .. tail
end

local function utf8_fault(data)
  local at = 1
  while at <= #data do
    local first, more, lowest = data:byte(at), 0, 0
    if first >= 0xf0 and first < 0xf5 then first, more, lowest = first - 0xf0, 3, 0x10000
    elseif first >= 0xe0 and first < 0xf0 then first, more, lowest = first - 0xe0, 2, 0x800
    elseif first >= 0xc0 and first < 0xe0 then first, more, lowest = first - 0xc0, 1, 0x80
    elseif first >= 0x80 then return at - 1 end
    local point = first
    for i = 1, more do
      local byte = data:byte(at + i)
      if not byte or byte < 0x80 or byte > 0xbf then return at - 1 end
      point = point * 64 + byte - 0x80
    end
    if point < lowest or point > 0x10ffff or (point >= 0xd800 and point < 0xe000) then return at - 1 end
    at = at + more + 1
  end
end

local function utf16(data, big)
  local found, at = {}, 1
  local function unit(i)
    if i + 1 > #data then return nil end
    local one, other = data:byte(i, i + 1)
    return big and one * 256 + other or other * 256 + one
  end
  while at <= #data do
    local point = unit(at)
    if not point or (point >= 0xdc00 and point < 0xe000) then return nil, at - 1 end
    if point >= 0xd800 and point < 0xdc00 then
      local low = unit(at + 2)
      if not low or low < 0xdc00 or low > 0xdfff then return nil, at - 1 end
      point, at = 0x10000 + (point - 0xd800) * 0x400 + low - 0xdc00, at + 2
    end
    found[#found + 1], at = utf8_of(point), at + 2
  end
  return table.concat(found)
end

local function utf32(data, big)
  local found = {}
  for at = 1, #data, 4 do
    local a, b, c, d = data:byte(at, at + 3)
    if not d then return nil, at - 1 end
    if not big then a, b, c, d = d, c, b, a end
    local point = a * 0x1000000 + b * 0x10000 + c * 0x100 + d
    if point > 0x10ffff or (point >= 0xd800 and point < 0xe000) then return nil, at - 1 end
    found[#found + 1] = utf8_of(point)
  end
  return table.concat(found)
end

-- A decoder for an encoding of one byte per character, from runs {first byte, its code point, length of the run}.

-- The characters of codes, from such runs.
function packing.characters(runs)
  local found = {}
  for _, run in ipairs(runs) do
    for i = 0, run[3] - 1 do found[run[1] + i] = utf8_of(run[2] + i) end
  end
  return found
end

-- The text of codes without padding; nil, and the place of the first one without a character.
function packing.spelled(known, padding, codes)
  local count, found = #codes, {}
  while count > 0 and codes[count] == padding do count = count - 1 end
  for i = 1, count do
    found[i] = known[codes[i]]
    if not found[i] then return nil, i - 1 end
  end
  return table.concat(found)
end

-- The codes of packed characters, and whether nothing but zeros follows them.
function packing.unpacked(data, width, lsb)
  local codes, word, held = {}, 0, 0
  for at = 1, #data do
    word = lsb and word + data:byte(at) * 2 ^ held or word * 256 + data:byte(at)
    held = held + 8
    while held >= width do
      local unit = lsb and 2 ^ width or 2 ^ (held - width)
      local rest = word % unit
      codes[#codes + 1] = lsb and rest or floor(word / unit)
      word, held = lsb and floor(word / unit) or rest, held - width
    end
  end
  return codes, word == 0
end

-- So many of these codes, and whether the others are zeros.
function packing.some(codes, count, justified)
  local found, is_clean = {}, true
  local first = justified == "right" and #codes - count or 0
  for i, code in ipairs(codes) do
    if i > first and i <= first + count then
      found[#found + 1] = code
    elseif code ~= 0 then
      is_clean = false
    end
  end
  return found, is_clean
end

local function bytewise(runs)
  local characters = {}
  for _, run in ipairs(runs) do
    for i = 0, run[3] - 1 do characters[string.char(run[1] + i)] = utf8_of(run[2] + i) end
  end
  return function(data)
    for at = 1, #data do
      if not characters[data:sub(at, at)] then return nil, at - 1 end
    end
    return (data:gsub(".", characters))
  end
end

local function ascii_alone(data) return (data:gsub("[\128-\255].*", "\xef\xbf\xbd")) end

local decoders = {
  ["utf-8"] = function(data)
    local fault = utf8_fault(data)
    if fault then return nil, fault end
    return data
  end,
  ["ascii"] = function(data)
    local fault = data:find("[\128-\255]")
    if fault then return nil, fault - 1 end
    return data
  end,
  ["latin-1"] = function(data)
    return (data:gsub("[\128-\255]", function(byte) return utf8_of(byte:byte()) end))
  end,
  ["utf-16-be"] = function(data) return utf16(data, true) end,
  ["utf-16-le"] = function(data) return utf16(data, false) end,
  ["utf-32-be"] = function(data) return utf32(data, true) end,
  ["utf-32-le"] = function(data) return utf32(data, false) end,
}

-- =============================================================================
-- 4  Checksums
-- =============================================================================
-- Each is a function of the bytes.

local xor = bit32 and bit32.bxor or load("return function(a, b) return math.tointeger(a) ~ math.tointeger(b) end")()

-- The bits of a number in reverse order. Numbers here are two halves of 32 bits.
local function mirrored(width, high, low)
  local new_high, new_low = 0, 0
  for _ = 1, width do
    new_high, new_low = new_high * 2 + floor(new_low / 2 ^ 31), new_low % 2 ^ 31 * 2 + low % 2
    high, low = floor(high / 2), floor(low / 2) + high % 2 * 2 ^ 31
  end
  return new_high, new_low
end

-- A reflected register of up to 32 bits as it was before as many zero bits as it has.
local function withdrawn(width, poly, register)
  local highest = 2 ^ (width - 1)
  for _ = 1, width do
    if register >= highest then
      register = xor(register, poly) * 2 + 1
    else
      register = register * 2
    end
  end
  return register
end

-- A CRC by its usual parameters. The register is kept in reflected form.
local function crc(
  width, reflect_in, reflect_out, poly_high, poly_low, init_high, init_low, last_high, last_low, unaugmented
)
  local highs, lows, bytes = {}, {}, {}
  poly_high, poly_low = mirrored(width, poly_high, poly_low)
  init_high, init_low = mirrored(width, init_high, init_low)
  for byte = 0, 255 do
    local high, low = 0, byte
    for _ = 1, 8 do
      local odd = low % 2 == 1
      high, low = floor(high / 2), floor(low / 2) + high % 2 * 2 ^ 31
      if odd then high, low = xor(high, poly_high), xor(low, poly_low) end
    end
    highs[byte], lows[byte] = high, low
    bytes[byte] = select(2, mirrored(8, 0, byte))
  end
  return function(data)
    local high, low = init_high, init_low
    for i = 1, #data do
      local byte = data:byte(i)
      local index = xor(low % 256, reflect_in and byte or bytes[byte])
      high, low = xor(highs[index], floor(high / 256)), xor(lows[index], floor(low / 256) + high % 256 * 2 ^ 24)
    end
    if unaugmented then low = withdrawn(width, poly_low, low) end
    if not reflect_out then high, low = mirrored(width, high, low) end
    return add(mul(xor(high, last_high), 2 ^ 32), xor(low, last_low))
  end
end

-- The sum of all bytes; with `unit`, plus that many times the sum of these partial sums.
local function total(modulus, initial, unit)
  return function(data)
    local low, high = initial, 0
    for i = 1, #data do
      low = (low + data:byte(i)) % modulus
      high = (high + low) % modulus
    end
    return unit and high * unit + low or low
  end
end

local checksums = {
  adler32 = total(65521, 1, 2 ^ 16),
  fletcher8 = total(15, 0, 2 ^ 4),
  fletcher16 = total(255, 0, 2 ^ 8),
  fletcher16_mod256 = total(256, 0, 2 ^ 8),
  fletcher32 = function(data)
    local low, high = 0, 0
    for i = 1, #data, 2 do
      low = (low + data:byte(i) + (data:byte(i + 1) or 0) * 256) % 65535
      high = (high + low) % 65535
    end
    return high * 65536 + low
  end,
  internet = function(data)
    local sum = 0
    for i = 1, #data, 2 do sum = sum + data:byte(i) * 256 + (data:byte(i + 1) or 0) end
    return sum == 0 and 65535 or 65535 - ((sum - 1) % 65535 + 1)
  end,
  sum8 = total(2 ^ 8, 0),
  sum16 = total(2 ^ 16, 0),
  sum32 = total(2 ^ 32, 0),
}

-- =============================================================================
-- 5  Nodes
-- =============================================================================
-- Each is a table whose kind chooses its reader in section 8. Their first entries have no keys.

local types, messages = {}, {}

-- {name, value, ...}. A field has a shape of its own if its value has a meaning, such as a time. `raw` names the
-- field beside it for bytes or numbers that its value does not determine.
local function field(node)
  node.kind, node.name, node.value = "field", node[1], node[2]
  if node.raw then node.raw = {name = node.raw, shape = node.shape and node.value.shape or "bytes"} end
  node.shape = node.shape or node.value.shape
  return node
end

local COMPUTED_SHAPES = {
  byte = "int8", short = "int16", int = "int32", long = "int64", float = "float", double = "double", boolean = "bool",
  binary = "bytes", string = "string",
}

-- {name, type of the column, function, ...}
local function computed(node)
  node.kind, node.name, node.type, node.compute = "computed", node[1], node[2], node[3]
  node.shape = node.shape or COMPUTED_SHAPES[node.type] or "uint64"
  return node
end

-- {name, width, number of the lowest bit, ...}: one of the bit fields of `bits`.
local function bit(node)
  node.name, node.width, node.shift = node[1], node[2], node[3]
  node.shape = node.shape or integer_shape(node.width)
  return node
end

-- {value, bit, ...}
local function bits(node)
  node.kind, node.value, node.bits = "bits", node[1], {table.unpack(node, 2)}
  return node
end

-- {extent, ...}
local function padding(node)
  node.kind, node.extent, node.align = "padding", node[1], node.align or 1
  return node
end

-- {name, extent, ...}. `trailing` names the field for bytes that are left over.
local function section(node)
  node.kind, node.section, node.extent = "section", node[1], node[2]
  if node.trailing then node.trailing = {name = node.trailing, shape = "bytes"} end
  return node
end

-- {name, extent, ...}: a section that messages fill.
local function slot(node)
  node.kind, node.section, node.extent = "slot", node[1], node[2]
  local doc = "Bytes of the " .. node.section .. " after its last field"
  if node.trailing then node.left_over = {name = node.trailing, shape = "bytes", doc = doc} end
  node.trailing = nil
  return node
end

-- A field at a position that an expression gives; the bytes of a `shared` one can also belong to other fields. Nothing
-- is wrong if an `optional` one is not there.
local function elsewhere(place, node)
  return {kind = "elsewhere", name = node.name, place = place, nodes = {node}}
end

local function shared(place, node, optional)
  return {kind = "elsewhere", name = node.name, place = place, shared = true, optional = optional, nodes = {node}}
end

-- Nodes under a condition, alone or as an option of a choice, which takes the first whose condition holds.
local function when(condition, nodes) return {kind = "when", when = condition, nodes = nodes} end
local function otherwise(nodes) return {nodes = nodes} end
local function choice(options) return {kind = "choice", options = options} end

-- Nodes whose byte order an expression gives, and those that are absent if no bytes are left.
local function ordered(little, nodes) return {kind = "ordered", little = little, nodes = nodes} end
local function tail(nodes) return {kind = "tail", nodes = nodes} end

-- {name, ...}: a message with the nodes in each section, and its variants.
local function message(found)
  found.name, found.sections, found.variants = found[1], found.sections or {}, found.variants or {}
  messages[#messages + 1] = found
end

local function variant(found)
  found.name, found.sections = found[1], found.sections or {}
  return found
end

-- The names of numbers, and of ranges {first, last, name}, narrow ones first.
local function enum(names, ranges) return {names = names, ranges = ranges or {}} end

-- =============================================================================
-- 6  Fields of Wireshark
-- =============================================================================
-- A field is registered under the name of its column.

local registered = {}

local function declared(new, abbreviation, name, ...)
  local field = new(abbreviation, name, ...)
  registered[#registered + 1] = field
  return field
end

local function label_of(enum, value)
  if enum.names[value] then return enum.names[value] end
  for _, range in ipairs(enum.ranges) do
    if range[1] <= value and value <= range[2] then return range[3] end
  end
end

-- The enum in the form that Wireshark's filters need; nil if it has numbers that this form cannot express.
local function value_strings(enum, shape)
  if not enum or shape:find("64") or #enum.ranges > 0 then return nil end
  for number in pairs(enum.names) do
    if number < 0 or number >= 2 ^ 31 then return nil end
  end
  return enum.names
end

-- Whether Wireshark can show the bits of a number.
local function is_narrow(value)
  return value.size ~= nil and value.size <= 4 and not value.swapped
end

-- Shapes that are shown from the bytes alone.
local ADDRESSES = {guid = true, ipv4 = true, ipv6 = true, ether = true}

local function declare(protocol, owner, nodes)
  for _, node in ipairs(nodes) do
    if node.nodes then declare(protocol, owner, node.nodes) end
    if node.trailing then declare(protocol, owner, {node.trailing}) end
    if node.raw then declare(protocol, owner, {node.raw}) end
    if node.options then declare(protocol, owner, node.options) end
    if node.whole then declare(protocol, owner, {node.whole}) end
    for _, bit in ipairs(node.bits or {}) do
      local is_extended = bit.sign == nil or bit.sign == "twos_complement"
      local is_shown = is_narrow(node.value) and is_extended and not bit.meaning and not bit.shifts
      bit.word, bit.mask = node.value, is_shown and (2 ^ bit.width - 1) * 2 ^ bit.shift or nil
      if bit.mask and bit.shape ~= "bool" then bit.shape = (bit.sign and "int" or "uint") .. 8 * node.value.size end
      declare(protocol, owner, {bit})
    end
    if node.section then
      node.field = declared(ProtoField.none, protocol .. ".Section." .. node.section, node.section, node.doc)
    elseif node.shape then
      local name, shape = node.column or node.name, node.shape
      local path = owner .. "." .. name
      if shape == "none" or shape == "float" or shape == "double" then
        node.field = declared(shape == "none" and ProtoField.none or function(abbreviation, title, doc)
          return ProtoField[shape](abbreviation, title, nil, doc)
        end, path, name, node.doc)
      elseif shape == "absolute_time" then
        node.field = declared(ProtoField.absolute_time, path, name, base.UTC, node.doc)
      elseif shape == "relative_time" or ADDRESSES[shape] then
        node.field = declared(ProtoField[shape], path, name, node.doc)
      elseif shape == "string" or shape == "bytes" then
        node.field = declared(ProtoField[shape], path, name, base.NONE, node.doc)
      elseif shape == "bool" then
        local display = node.mask and 8 * node.word.size or base.NONE
        node.field = declared(ProtoField.bool, path, name, display, nil, node.mask, node.doc)
      else
        local display = node.hex and shape:sub(1, 1) == "u" and base.HEX or base.DEC
        node.values = value_strings(node.enum, shape)
        node.field = declared(ProtoField[shape], path, name, display, node.values, node.mask, node.doc)
      end
      if node.enum and node.labels then
        local label = name .. "_name"
        node.label = declared(ProtoField.string, path .. "_name", label, base.NONE, "What " .. name .. " is called")
      end
      for i, flag in ipairs(node.flags or {}) do
        node.bools = node.bools or {}
        local narrow = is_narrow(node.value)
        local display, mask = narrow and 8 * node.value.size or base.NONE, narrow and flag[1] or nil
        local called, doc = flag.label or flag[2], flag[3] or ""
        node.bools[i] = declared(ProtoField.bool, path .. "." .. flag[2], called, display, nil, mask, doc)
      end
    end
  end
end

local function range_of(reader, at, length)
  return reader.tvb(reader.base + at, length)
end

-- Adds a field with a mask: Wireshark extracts the bits itself.
local function add_masked(reader, tree, field, range, word)
  local add_bits = is_little(word.order, reader.little) and tree.add_le or tree.add
  return add_bits(tree, field, range)
end

local add_value

-- Whether scaling the double back gives the original number.
local function is_determined(value, sum, meaning, number, exponent)
  local unit = power(-exponent)
  local off = mul(2, sub(mul(mul(number, power(exponent)), meaning.by), mul(sum, unit)))
  local one = mul(unit, meaning.times)
  local half = order(off < 0 and neg(off) or off, one < 0 and neg(one) or one)
  return half < 0 or (half == 0 and mod(value, 2) == 0)
end

-- Adds the meaning of a number, and also the number if it cannot be recomputed from that.
local function add_meaning(reader, tree, node, at, length, value)
  local meaning, range = node.meaning, range_of(reader, at, length)
  if meaning.by then
    local sum = add(mul(value, meaning.times), meaning.plus)
    if meaning.places then return tree:add(node.field, range, decimal(sum, meaning.places)) end
    local number, exponent = nearest(sum, meaning.by)
    if node.raw and not is_determined(value, sum, meaning, number, exponent) then
      add_value(reader, tree, node.raw, at, length, value)
    end
    return tree:add(node.field, range, number * 2.0 ^ exponent)
  end
  if value < meaning.least or value > meaning.most then
    if node.raw then return add_value(reader, tree, node.raw, at, length, value) end
    if length == 0 then return nil end
    return refuse(reader, "range", at, reader.path .. node.name, shown(value) .. " is no time that tables hold")
  end
  local parts = add(mul(value, meaning.step), mul(meaning.first or 0, 1000))
  local seconds, left = divide(parts, 1000000000)
  if node.raw and left % 1000 ~= 0 then add_value(reader, tree, node.raw, at, length, value) end
  left = left - left % 1000
  if not meaning.first and seconds < 0 and left > 0 then seconds, left = seconds + 1, left - 1000000000 end
  return tree:add(node.field, range, NSTime.new(seconds, left))
end

-- Adds a value to the tree, with its label and its flags.
function add_value(reader, tree, node, at, length, value)
  local range = range_of(reader, at, length)
  local item
  if node.mask then
    item = add_masked(reader, tree, node.field, range, node.word)
  elseif node.meaning then
    item = add_meaning(reader, tree, node, at, length, value)
  elseif node.shape == "bytes" and node.compute and value ~= "" then
    item = tree:add(node.field, ByteArray.new(value, true):tvb(node.name):range())
  elseif node.shape == "bytes" or node.shape == "none" or ADDRESSES[node.shape] then
    item = tree:add(node.field, range)
  elseif node.shape == "uint64" then
    item = tree:add(node.field, range, wide(value, UInt64.new))
  elseif node.shape == "int64" then
    item = tree:add(node.field, range, wide(value, Int64.new))
  else
    item = tree:add(node.field, range, node.shape == "string" and is_whole(value) and decimal(value, 0) or value)
  end
  if length == 0 and node.compute and item then item:set_generated() end
  local label = node.enum and is_whole(value) and label_of(node.enum, value)
  if label and node.label then item:add(node.label, range, label):set_generated() end
  if label and not node.values then item:append_text(" (" .. label .. ")") end
  for i, flag in ipairs(node.flags or {}) do
    if is_narrow(node.value) then
      add_masked(reader, item, node.bools[i], range, node.value)
    else
      item:add(node.bools[i], range, band(value, flag[1]) ~= 0)
    end
  end
  return item
end

-- =============================================================================
-- 7  Reader
-- =============================================================================
-- A reader has the `data` of one record and a position `pos` in it, and reads nothing from its `limit` on; at first
-- that is `stop`, the end of all fields. It is `open` if it only looks for the end of the record. It becomes `loose`
-- if the current field has bytes that are not the ones its value would be written as.

local function short(reader, count, name, at)
  at = at or reader.pos
  local path = reader.path .. (name or "")
  if count < 0 then fail("invalid-size", at, path, "a size of " .. counted(count, "byte")) end
  local is_cut_off = reader.limit == reader.stop
  local what = "needs " .. counted(count, "byte") .. ", " .. reader.limit - at .. " left"
  fail(is_cut_off and "truncated" or "overrun", at, path, what, is_cut_off and at + count or nil)
end

local function need(reader, count, name)
  if count < 0 or count > reader.limit - reader.pos then short(reader, count, name) end
end

local function next_byte(reader, name)
  need(reader, 1, name)
  reader.pos = reader.pos + 1
  return reader.data:byte(reader.pos)
end

-- The bytes up to the first without its highest bit, which is the last one.
local function groups_of(reader, most, name, refuse)
  local found = {}
  for i = 1, most do
    found[i] = next_byte(reader, name)
    if found[i] < 128 then return found end
  end
  refuse("no stop byte within " .. most .. " bytes")
end

-- The number with these digits, most significant first, and the radix to the power of their count.
local function number_of(digits, radix)
  local found, unit = 0, 1
  for _, digit in ipairs(digits) do
    found, unit = add(mul(found, radix), digit), mul(unit, radix)
  end
  return found, unit
end

local forms = {}

function forms.Quic(reader, _, name, _, shortest)
  local digits = {next_byte(reader, name)}
  local size = 2 ^ floor(digits[1] / 64)
  digits[1] = digits[1] % 64
  need(reader, size - 1, name)
  for i = 2, size do digits[i] = next_byte(reader, name) end
  local found = number_of(digits, 256)
  shortest(size > 1 and found < 2 ^ (4 * size - 2))
  return found
end

function forms.Vlq(reader, value, name, refuse, shortest)
  local groups = groups_of(reader, math.ceil(value.bits / 7), name, refuse)
  shortest(groups[1] == 128)
  for i, group in ipairs(groups) do groups[i] = group % 128 end
  return (number_of(groups, 128))
end

function forms.Leb128(reader, value, name, refuse, shortest)
  local form = value.form
  local groups = groups_of(reader, form == "Protobuf" and 10 or math.ceil(value.bits / 7), name, refuse)
  local last, before, lowest_last = groups[#groups], groups[#groups - 1], {}
  local is_negative = form == "SignedLeb128" and last >= 64
  local needless = form == "SignedLeb128" and before and before % 128 >= 64 and 127 or 0
  for i, group in ipairs(groups) do lowest_last[#groups + 1 - i] = group % 128 end
  local found, unit = number_of(lowest_last, 128)
  shortest(before and last == needless)
  if is_negative then return sub(found, unit) end
  if form == "ZigZag" then
    local half, odd = divide(found, 2)
    return odd == 1 and sub(-1, half) or half
  end
  if form ~= "Protobuf" then return found end
  if found >= 2 ^ 64 then refuse("more than 64 bits") end
  if found >= 2 ^ 63 then found = sub(found, power(64)) end
  local half = power(value.bits - 1)
  if value.lenient and (found < neg(half) or found >= half) then
    local _, rest = divide(found, power(value.bits))
    found, reader.loose = rest >= half and sub(rest, power(value.bits)) or rest, true
  end
  return found
end

local function read_varint(reader, value, name)
  local at, path = reader.pos, reader.path .. (name or "")
  local code = forms[value.form] and value.form ~= "Leb128" and "varint" or "leb128"
  local function refuse(detail) fail(code, at, path, detail) end
  local function shortest(is_longer)
    if is_longer and not value.lenient then refuse("not the shortest form") end
    if is_longer then reader.loose = true end
  end
  local found = (forms[value.form] or forms.Leb128)(reader, value, name, refuse, shortest)
  local is_signed = signed_forms[value.form]
  local most = power(is_signed and value.bits - 1 or value.bits)
  if found >= most or found < (is_signed and neg(most) or 0) then refuse("more than " .. value.bits .. " bits") end
  return found
end

local function number(reader, value, name)
  if value.kind == "varint" then return read_varint(reader, value, name) end
  need(reader, value.size, name)
  local at = reader.pos
  reader.pos = at + value.size
  local found, is_other = value.read(reader.data, at, reader.little, reader.path .. (name or ""))
  reader.loose = reader.loose or is_other
  return found
end

-- The frame with its entry 0 brought up to date.
local function here(reader, frame)
  frame = frame or reader.frame
  frame[0] = reader.limit - reader.pos
  return frame
end

local function measured(reader, extent, this, name)
  local count = extent.bytes
  if type(count) == "function" then count = evaluate(count, this, reader.record, here(reader)) end
  if not is_whole(count) then
    fail("invalid-size", reader.pos, reader.path .. name, "a size that follows from an absent value")
  end
  need(reader, count, name)
  return count
end

-- The positions of the terminator and of the byte after it; both are the limit if the terminator is missing and may be.
local function ended(reader, extent, limit, name)
  local last, behind, found
  for _, bytes in ipairs(extent.ends) do
    local first = reader.data:find(bytes, reader.pos + 1, true)
    while first and (first - 1 - reader.pos) % extent.unit ~= 0 do first = reader.data:find(bytes, first + 1, true) end
    if first and first - 1 + #bytes <= limit and first <= (last or limit) then
      last, behind, found = first - 1, first - 1 + #bytes, bytes
    end
  end
  reader.loose = reader.loose or last and found ~= extent.ends[1] and extent.keep == "drop"
  if last then return last, behind end
  if not extent.may_miss then
    local more = limit == #reader.data and limit + 1 or nil
    fail("unterminated", reader.pos, reader.path .. name, "no terminator", more)
  end
  return limit, limit
end

-- A value in a region of fixed size, up to its terminator or its padding.
local function inside(reader, extent, limit, name)
  local pad, last, behind = extent.pad, limit, limit
  if extent.ending then last, behind = ended(reader, extent.ending, limit, name) end
  if last == behind and (not extent.ending or extent.ending.keep == "keep") then
    while last - reader.pos >= #pad and reader.data:sub(last - #pad + 1, last) == pad do last = last - #pad end
    reader.loose = reader.loose or extent.open and last < limit
    return reader.pos, last, limit
  end
  local room = limit - behind
  if extent.open and (room > 0 or last == behind) then reader.loose = true end
  if reader.data:sub(behind + 1, limit) ~= pad:rep(math.ceil(room / #pad)):sub(1, room) then
    if not extent.lenient then fail("padding", behind, reader.path .. name, "other padding expected") end
    reader.loose = true
  end
  return reader.pos, extent.ending.keep == "keep" and behind or last, limit
end

-- Where a value starts and ends, and where reading continues.
local function span(reader, extent, this, name)
  if extent.kind == "rest" then return reader.pos, reader.limit, reader.limit end
  if extent.kind == "padded" then
    return inside(reader, extent, reader.pos + measured(reader, extent.size, this, name), name)
  end
  if extent.kind == "until" then
    local last, behind = ended(reader, extent, reader.limit, name)
    if extent.keep == "leave" then return reader.pos, last, last end
    if extent.keep == "keep" then return reader.pos, behind, behind end
    if last == behind then
      if not extent.lenient then fail("unterminated", reader.pos, reader.path .. name, "no terminator") end
      reader.loose = true
    end
    return reader.pos, last, behind
  end
  local count
  if extent.kind == "prefix" then
    count = number(reader, extent.number, name)
    need(reader, count, name)
  else
    count = measured(reader, extent, this, name)
  end
  return reader.pos, reader.pos + count, reader.pos + count
end

-- The bytes that a checksum covers; nil if they depend on a value that is absent.
local function covered(reader, pieces, this, frame)
  local found = {}
  for i, piece in ipairs(pieces) do
    if type(piece) == "table" then
      local first = evaluate(piece.from, this, reader.record, frame)
      local last = evaluate(piece.to, this, reader.record, frame)
      if not (first and last) then return nil end
      piece = reader.data:sub(first + 1, last)
    end
    found[i] = piece
  end
  return table.concat(found)
end

-- The first item of a derived list that differs from what it is derived from, and what was expected.
local function unlike(reader, entry, this)
  local node, found = entry.node, this[entry.node.name]
  local count = #(evaluate(node.about, this, reader.record, entry.frame) or {})
  for i = 1, math.max(count, #found) do
    entry.frame[2] = i - 1
    local expected = i <= count and evaluate(node.derive, this, reader.record, entry.frame) or nil
    if found[i] == nil or found[i] ~= expected then return found[i] or "nothing", expected end
  end
end

local readers = {}

-- The entries for derived values, with those of structs behind the others.
function readers.late_last(derived)
  local found = {}
  for _, is_late in ipairs({false, true}) do
    for _, entry in ipairs(derived) do
      if (entry.this ~= nil) == is_late then found[#found + 1] = entry end
    end
  end
  return found
end

-- Checks what follows from other values. The `late` entries of structs in this one come last.
local function verify(reader, around, derived)
  if reader.open then return end
  for _, entry in ipairs(readers.late_last(derived)) do
    local this = entry.this or around
    local node, value = entry.node, this[entry.node.name]
    local path, expected = (entry.path or reader.path) .. node.name
    if node.checksum then
      local data = covered(reader, node.checksum.over, this, entry.frame)
      expected = data and node.checksum.algorithm(data)
    else
      expected = evaluate(node.derive, this, reader.record, entry.frame)
    end
    if node.about then value, expected = unlike(reader, entry, this) end
    if value ~= expected then
      local what = shown(expected) .. " expected, found " .. shown(value)
      fail(node.checksum and "checksum" or "derived", entry.at, path, what)
    end
  end
end

local read

-- The ranges of a region that no field has read, and their size. Reading continues at the end of the region.
local function left_over(reader, path)
  local gaps, count = {}, 0
  local function gap(to)
    if reader.pos < to then gaps[#gaps + 1], count = {reader.pos, to}, count + to - reader.pos end
  end
  table.sort(reader.taken or {}, function(one, other) return one[1] < other[1] end)
  for _, span in ipairs(reader.taken or {}) do
    if span[1] < reader.pos then fail("place", span[1], path .. span[3], "others have some of its bytes") end
    gap(span[1])
    reader.pos = span[2]
  end
  gap(reader.limit)
  reader.pos = reader.limit
  return gaps, count
end

-- Takes from the derived values of a struct those that follow from what is around it, and leaves them to that.
function readers.leave_late(reader, this, node, derived, late)
  local own, left = {}, {}
  for _, entry in ipairs(readers.late_last(derived)) do
    if late.fields[entry.within or entry.node.name] then
      entry.this, entry.path, entry.within = entry.this or this, entry.path or reader.path, node.name
      left[#left + 1] = entry
    else
      own[#own + 1] = entry
    end
  end
  return own, left
end

-- Reads a struct into a tree and a frame of its own.
local function nested(reader, tree, node, value, this)
  local at, outer, limit, path, after = reader.pos, reader.frame, reader.limit, reader.path, nil
  local given, taken, late = {}, reader.taken, types[value.name].late
  if value.extent then
    reader.pos, reader.limit, after = span(reader, value.extent, this, node.name)
    reader.taken = nil
  end
  if late then
    setmetatable(given, {__index = function(_, name)
      return value.given[name] and evaluate(value.given[name], this, reader.record, outer)
    end})
  end
  for name, asked in pairs(value.given) do
    if not (late and late.inputs[name]) then
      given[name] = evaluate(asked, this, reader.record, outer)
      if given[name] == nil and value.items[name] then
        fail("invalid", at, path .. node.name, "no value is given as " .. name)
      end
    end
  end
  reader.path = path .. node.name .. "."
  reader.frame = {record = outer.record, [1] = given}
  local item, found, derived = tree:add(node.field, range_of(reader, at, reader.limit - at)), {}, {}
  read(reader, item, found, types[value.name], derived)
  if late then derived, reader.late = readers.leave_late(reader, found, node, derived, late) end
  verify(reader, found, derived)
  if after then
    local gaps, left = left_over(reader, reader.path)
    if left > 0 then
      refuse(reader, "trailing-bytes", gaps[1][1], path .. node.name, counted(left, "byte") .. " left over")
    end
    reader.pos, reader.limit, reader.taken = after, limit, taken
  end
  reader.path, reader.frame, reader.inner = path, outer, reader.frame
  item:set_len(reader.pos - at)
  return found
end

-- A tree item that ignores all that is added.
local nothing = {}
setmetatable(nothing, {__index = function() return function() return nothing end end})

-- Reads a struct that is too deep for fields of its own, and shows its bytes.
local function kept(reader, tree, node, value, this)
  local at, outer = reader.pos, reader.depth or 0
  if value.depth + outer >= value.limit then
    fail("too-deep", at, reader.path .. node.name, "nested deeper than " .. value.limit)
  end
  reader.depth = outer + 1
  local found = nested(reader, nothing, node, value, this)
  reader.depth = outer
  if outer == 0 then add_value(reader, tree, node, at, reader.pos - at) end
  return found
end

-- The number that digits say; nil if they are no digits or the number is not below `most`.
local function in_digits(digits, base, most)
  local found = 0
  for digit in digits:gsub("^0+", ""):gmatch(".") do
    local value = tonumber(digit, 16)
    if not value or value >= base then return nil end
    found = add(mul(found, base), value)
    if found >= most then return nil end
  end
  return #digits > 0 and found or nil
end

-- The number in ASCII digits or nil, and whether the bytes differ from how it would be written.
local function ascii_number(value, found)
  local first, last = 1, #found
  local function blank(at) return ("\0 " .. value.fill):find(found:sub(at, at), 1, true) ~= nil end
  while first <= last and blank(first) do first = first + 1 end
  while first <= last and blank(last) do last = last - 1 end
  local filled, text = first - 1, found:sub(first, last)
  local sign = text:match("^[+-]") or ""
  local digits = text:sub(#sign + 1)
  local most = sign == "-" and add(value.most, 1) or value.most
  local number = (sign ~= "-" or value.signed) and in_digits(digits, value.base, most) or nil
  if not number then return nil end
  local strange = last < #found or sign == "+" or (sign == "-" and number == 0) or #text < value.digits
    or (#text > value.digits and digits:sub(1, 1) == "0") or digits:find(value.upper and "%l" or "%u") ~= nil
    or found:sub(1, filled) ~= value.fill:rep(filled)
    or (filled > 0 and #found ~= value.width) or #found < value.width
  return sign == "-" and neg(number) or number, strange
end

local function one(reader, tree, node, this)
  local value, at = node.value, reader.pos
  if value.kind == "struct" then return nested(reader, tree, node, value, this) end
  local path = reader.path .. node.name
  if value.kind == "deeper" then return kept(reader, tree, node, value, this) end
  if value.kind == "constant" then
    need(reader, #value.value, node.name)
    reader.pos = at + #value.value
    local item = add_value(reader, tree, node, at, #value.value)
    local found = reader.data:sub(at + 1, reader.pos)
    if found ~= value.value then refuse(reader, "constant", at, path, "other bytes expected") end
    return found, item
  end
  if value.kind == "bytes" or value.kind == "text" then
    local first, last, after, count
    if value.justified then
      count = number(reader, value.extent.number, node.name)
      first = reader.pos
      last = first + math.ceil(count * value.width / 8)
      need(reader, last - first, node.name)
      after = last
    else
      first, last, after = span(reader, value.extent, this, node.name)
    end
    local found = reader.data:sub(first + 1, last)
    reader.pos = after
    if value.characters then
      local codes, is_clean = packing.unpacked(found, value.width, value.lsb)
      if count then
        local others
        codes, others = packing.some(codes, count, value.justified)
        is_clean = is_clean and others
      end
      if not is_clean then refuse(reader, "padding", at, path, "zeros expected beside its characters") end
      local decoded, fault = packing.spelled(value.characters, value.padding, codes)
      if not decoded then refuse(reader, "text", at, path, "no character has the code of that at " .. fault) end
      found = decoded
    elseif value.kind == "text" then
      local decoded, fault = (decoders[value.encoding] or ascii_alone)(found)
      if not decoded and value.lenient then
        reader.loose = true
        return nil
      end
      if not decoded then
        refuse(reader, "text", at, path, "not " .. value.encoding .. " at byte " .. fault .. " of it")
      end
      found = decoded
    end
    add_value(reader, tree, node, first, last - first, found)
    return found
  end
  if value.kind == "sized" then
    local first, last, after = span(reader, value.extent, this, node.name)
    local count = last - first
    reader.pos = after
    if count > 8 then
      refuse(reader, "invalid-size", at, path, "at most 8 bytes expected, found " .. count .. " bytes")
      return 0
    end
    local found = unsigned(reader.data, first, count, is_little(value.order, reader.little))
    local half = count > 0 and power(8 * count - 1) or 1
    if value.signed and found >= half then found = sub(found, add(half, half)) end
    local reach = count > 1 and power(8 * count - (value.signed and 9 or 8)) or 0
    local fits = found < reach and found >= (value.signed and neg(reach) or 0)
    if value.shortest and (fits or count == 0) then
      if not value.lenient then refuse(reader, "invalid", at, path, "a number in fewer bytes expected") end
      reader.loose = true
    end
    add_value(reader, tree, node, first, count, found)
    return found
  end
  if value.kind == "ascii" then
    local first, last, after = span(reader, value.extent, this, node.name)
    local found, strange = ascii_number(value, reader.data:sub(first + 1, last))
    reader.pos = after
    if (strange or not found) and not value.lenient then
      refuse(reader, "invalid", at, path, "another number of base " .. value.base .. " expected")
    end
    reader.loose = reader.loose or strange or not found
    if found then add_value(reader, tree, node, first, last - first, found) end
    return found
  end
  local found = number(reader, value, node.name)
  add_value(reader, tree, node, at, reader.pos - at, found)
  return found
end

-- Counts bytes that are read more than once, which a hostile record could do endlessly.
local function borrow(reader, count, name)
  reader.borrowed = (reader.borrowed or 0) + count
  if reader.borrowed > 64 * #reader.data then fail("too-long", reader.pos, reader.path .. name, "read too often") end
end

-- Reads at another position of the record, then returns to the current one. What is empty may be outside of it.
local function away(reader, at, name, shared, parse, is_empty)
  local pos, limit, taken = reader.pos, reader.limit, reader.taken
  if shared then reader.limit, reader.taken = reader.stop, {} end
  local is_inside = is_whole(at) and at >= 0 and at <= reader.limit
  if not is_inside then
    if not is_whole(at) or not is_empty then
      fail("place", pos, reader.path .. name, "would stand at byte " .. shown(at))
    end
    reader.limit = at
  end
  reader.pos = at
  local value, other = parse()
  local count = reader.pos - at
  reader.pos, reader.limit = pos, limit
  if shared then
    reader.taken = taken
    borrow(reader, count, name)
  elseif count > 0 then
    reader.taken = reader.taken or {}
    reader.taken[#reader.taken + 1] = {at, at + count, name}
    reader.taken.size = (reader.taken.size or 0) + count
    if reader.taken.size > limit then fail("place", at, reader.path .. name, "others have some of its bytes") end
  end
  return value, other
end

local function list(reader, tree, node, this)
  local found, spans, count, smallest = {}, {}, nil, node.value.kind == "number" and node.value.size or 1
  if node.hollow then smallest = 0 end
  if node.watched then
    reader.frame[3] = reader.frame[3] or {}
    this[node.name], reader.frame[3][node.name] = found, spans
  end
  local path = reader.path .. node.name
  if node.count then
    count = evaluate(node.count, this, reader.record, here(reader))
    if not is_whole(count) or count < 0 or (smallest > 0 and count > (reader.limit - reader.pos) / smallest) then
      local what = is_whole(count) and counted(count, "item") or "an unknown number of items"
      local more = is_whole(count) and reader.limit == reader.stop and add(reader.pos, mul(count, smallest)) or nil
      fail("count", reader.pos, path, what .. " cannot stand in " .. counted(reader.limit - reader.pos, "byte"), more)
    end
  end
  if node.ended and evaluate(node.ended, this, reader.record, here(reader)) then return found end
  while (count and #found < count) or (not count and (node["until"] or reader.pos < reader.limit)) do
    local at, number = reader.pos, #found + 1
    local first = at
    if node.numbered then reader.frame[2] = number - 1 end
    if node.place then
      first = evaluate(node.place, this, reader.record, reader.frame)
      found[number], spans[number] = away(reader, first, node.name, node.shared, function()
        local item = one(reader, tree, node, this)
        return item, {first, reader.pos, reader.inner}
      end)
    else
      found[number] = one(reader, tree, node, this)
      spans[number] = {at, reader.pos, reader.inner}
    end
    if spans[number][1] == spans[number][2] then
      if smallest > 0 then fail("count", at, path, "an item without bytes repeats for ever") end
      borrow(reader, 4, node.name)
    end
    local until_ = node["until"]
    if until_ and evaluate(until_, found[number], reader.record, here(reader, reader.inner)) then break end
  end
  return found
end

-- Checks a value by itself.
local function check(reader, node, this, at)
  if reader.open then return end
  local value, path = this[node.name], reader.path .. node.name
  if node.const ~= nil and value ~= node.const then
    fail("constant", at, path, shown(node.const) .. " expected, found " .. shown(value))
  end
  if node.long and value >= 2 ^ 63 then fail("range", at, path, shown(value) .. " does not fit a long") end
end

-- A value or a list in a message.
local function found_in(value)
  if type(value) ~= "table" or getmetatable(value) == Big then return shown(value) end
  local items = {}
  for i, item in ipairs(value) do items[i] = shown(item) end
  return "[" .. table.concat(items, ", ") .. "]"
end

local function validate(reader, node, this, at)
  if node.valid and not reader.open and not evaluate(node.valid[2], this, reader.record, reader.frame) then
    local value = this[node.name]
    local found = found_in(value)
    if node.shape == "bytes" and type(value) == "string" then
      found = found:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)
    end
    fail("invalid", at, reader.path .. node.name, node.valid[1] .. " expected, found " .. found)
  end
end

-- The values that columns can hold.
local limits = {
  byte = {-2 ^ 7, 2 ^ 7}, short = {-2 ^ 15, 2 ^ 15}, int = {-2 ^ 31, 2 ^ 31}, long = {-2 ^ 63, 2 ^ 63},
  ["decimal(20,0)"] = {0, 2 ^ 64},
}

-- =============================================================================
-- 8  Reading nodes
-- =============================================================================

local function enter(reader, section, tree, this)
  local at, outer = reader.pos, {reader.limit, reader.taken}
  local limit = reader.limit
  local count = limit - at
  if section.extent.kind == "size" then count = measured(reader, section.extent, this, section.section) end
  reader.limit = at + count
  reader.taken = nil
  reader.frame[section.section] = {at, reader.limit}
  return outer, tree:add(section.field, range_of(reader, at, count))
end

local function leave(reader, section, tree, outer, this)
  if reader.open and section.extent.kind == "rest" then -- it ends where its fields do
    reader.limit, reader.taken = outer[1], outer[2]
    return
  end
  local gaps, left = left_over(reader, reader.path .. section.section .. ".")
  local found = {}
  for i, gap in ipairs(gaps) do
    if not section.trailing then
      refuse(reader, "trailing-bytes", gap[1], reader.path .. section.section, counted(left, "byte") .. " left over")
    else
      found[i] = reader.data:sub(gap[1] + 1, gap[2])
      add_value(reader, tree, section.trailing, gap[1], gap[2] - gap[1])
      this[section.trailing.name] = table.concat(found)
    end
  end
  reader.limit, reader.taken = outer[1], outer[2]
end

function readers.field(reader, tree, this, node, derived)
  local at = reader.pos
  reader.loose = false
  if node.count or node["until"] or node.list then
    this[node.name] = list(reader, tree, node, this)
  else
    this[node.name] = one(reader, tree, node, this)
  end
  for _, entry in ipairs(reader.late or {}) do derived[#derived + 1] = entry end
  reader.late = nil
  if node.raw and reader.loose then
    this[node.raw.name] = reader.data:sub(at + 1, reader.pos)
    add_value(reader, tree, node.raw, at, reader.pos - at)
  end
  reader.frame[node.name] = {at, reader.pos, reader.inner}
  if node.derive or node.checksum then
    if this[node.name] == nil then refuse(reader, "invalid", at, reader.path .. node.name, "a value expected") end
    derived[#derived + 1] = {node = node, at = at, frame = reader.frame}
  end
  check(reader, node, this, at)
  validate(reader, node, this, at)
end

-- Consecutive numbers of fixed size in one byte order: all are read before any is checked.
local function read_run(reader, tree, this, run, derived)
  local start = reader.pos
  local at = start
  for _, node in ipairs(run) do
    if at + node.value.size > reader.limit then
      for _, before in ipairs(run) do
        if before == node then short(reader, node.value.size, node.name, at) end
        pcall(one, reader, tree, before, this)
      end
    end
    at = at + node.value.size
  end
  for _, node in ipairs(run) do
    at = reader.pos
    this[node.name] = one(reader, tree, node, this)
    reader.frame[node.name] = {at, reader.pos}
    if node.derive or node.checksum then derived[#derived + 1] = {node = node, at = at, frame = reader.frame} end
  end
  for _, judge in ipairs({check, validate}) do
    at = start
    for _, node in ipairs(run) do
      judge(reader, node, this, at)
      at = at + node.value.size
    end
  end
end

function readers.computed(reader, tree, this, node)
  local value = evaluate(node.compute, this, reader.record, reader.frame)
  this[node.name] = value
  if value == nil then return end
  local bounds = limits[node.type]
  if bounds and (value < bounds[1] or value >= bounds[2]) then
    refuse(reader, "range", reader.pos, reader.path .. node.name, shown(value) .. " does not fit a " .. node.type)
  end
  add_value(reader, tree, node, reader.pos, 0, value)
  validate(reader, node, this, reader.pos)
end

-- What the bits of a number represent, by how they represent its sign; nil if they represent none.
local signs = {}

function signs.twos_complement(bits, bit)
  return bits < power(bit.width - 1) and bits or sub(bits, power(bit.width))
end

function signs.sign_magnitude(bits, bit)
  local half = power(bit.width - 1)
  if bits < half then return bits end
  local magnitude = sub(bits, half)
  return magnitude ~= 0 and neg(magnitude) or nil
end

function signs.offset(bits, bit)
  return add(bits, bit.offset)
end

-- The value of a bit field; nil if it has none.
local function value_of(bit, word, shift)
  local value = mod(shr(word, shift), power(bit.width))
  if bit.shape == "bool" then return value == 1 end
  return bit.sign and signs[bit.sign](value, bit) or not bit.sign and value or nil
end

function readers.bits(reader, tree, this, node, derived)
  if node.over then reader.pos = reader.pos - node.value.size end
  local at = reader.pos
  need(reader, node.value.size, (node.whole or node.bits[1]).name)
  local word = number(reader, node.value)
  if node.whole then
    this[node.whole.name] = word
    reader.frame[node.whole.name] = {at, reader.pos}
    add_value(reader, tree, node.whole, at, node.value.size, word)
  end
  for _, bit in ipairs(node.bits) do
    local items = {}
    for i, shift in ipairs(bit.shifts or {bit.shift}) do
      items[i] = value_of(bit, word, shift)
      if items[i] == nil then
        local path = reader.path .. bit.name .. (bit.shifts and "[" .. i - 1 .. "]" or "")
        refuse(reader, "invalid", at, path, "0 expected, found -0")
      elseif not bit.characters then
        add_value(reader, tree, bit, at, node.value.size, items[i])
      end
    end
    if bit.characters then
      local found, fault = packing.spelled(bit.characters, bit.padding, items)
      if not found then refuse(reader, "text", at, reader.path .. bit.name, "no character at " .. fault .. " of it") end
      add_value(reader, tree, bit, at, node.value.size, found)
      this[bit.name] = found
    else
      this[bit.name] = bit.shifts and items or items[1]
    end
    reader.frame[bit.name] = {at, reader.pos}
    check(reader, bit, this, at)
    validate(reader, bit, this, at)
    if bit.derive then derived[#derived + 1] = {node = bit, at = at, frame = reader.frame} end
  end
end

function readers.padding(reader, _, this, node)
  local at, origin = reader.pos, node.origin and reader.frame[node.origin][1] or 0
  local count = node.align > 1 and (origin - at) % node.align or measured(reader, node.extent, this, "")
  need(reader, count)
  reader.pos = at + count
  if reader.data:sub(at + 1, reader.pos):find("[^%z]") then
    refuse(reader, "padding", at, reader.path, "zeros expected")
  end
end

function readers.section(reader, tree, this, node, derived)
  local limit, item = enter(reader, node, tree, this)
  read(reader, item, this, node.nodes, derived)
  leave(reader, node, item, limit, this)
end

-- Skips what a message fills, if the length of the record depends on fields after it.
function readers.slot(reader, _, this, node)
  local at = reader.pos
  reader.pos = at + measured(reader, node.extent, this, node.section)
  reader.frame[node.section] = {at, reader.pos}
end

function readers.ordered(reader, tree, this, node, derived)
  local outer = reader.little
  reader.little = evaluate(node.little, this, reader.record, reader.frame) or false
  read(reader, tree, this, node.nodes, derived)
  reader.little = outer
end

function readers.elsewhere(reader, tree, this, node, derived)
  local at = evaluate(node.place, this, reader.record, reader.frame)
  local count = node.nodes[1].count
  local is_empty = count and evaluate(count, this, reader.record, here(reader)) == 0
  local function parse(into)
    away(reader, at, node.name, node.shared, function() read(reader, into, this, node.nodes, derived) end, is_empty)
  end
  if node.optional then -- which is read twice, as nothing can be taken out of the tree again
    local before = {}
    for name, value in pairs(reader) do before[name] = value end
    local is_there, problem = pcall(parse, nothing)
    for name in pairs(reader) do reader[name] = before[name] end
    if not is_there then
      if type(problem) ~= "table" or problem.code == "too-long" then error(problem, 0) end
      this[node.name], reader.frame[node.name] = nil, nil
      return borrow(reader, 4, node.name)
    end
  end
  parse(tree)
end

function readers.when(reader, tree, this, node, derived)
  if evaluate(node.when, this, reader.record, here(reader)) then read(reader, tree, this, node.nodes, derived) end
end

function readers.choice(reader, tree, this, node, derived)
  for _, option in ipairs(node.options) do
    if not option.when or evaluate(option.when, this, reader.record, here(reader)) then
      return read(reader, tree, this, option.nodes, derived)
    end
  end
end

function readers.tail(reader, tree, this, node, derived)
  if reader.pos < reader.limit then read(reader, tree, this, node.nodes, derived) end
end

-- Nodes grouped into steps: runs of numbers, and single nodes.
local function steps_of(nodes)
  local steps, run, order_of_run = {}, nil, nil
  for _, node in ipairs(nodes) do
    local is_repeated = node.count or node["until"] or node.list
    if node.kind ~= "field" or node.value.kind ~= "number" or is_repeated then
      run = nil
      steps[#steps + 1] = {node = node}
    else
      local stated = node.value.order
      if not run or (stated and order_of_run and stated ~= order_of_run) then
        run, order_of_run = {}, nil
        steps[#steps + 1] = {run = run}
      end
      order_of_run = stated or order_of_run
      run[#run + 1] = node
    end
  end
  return steps
end

function read(reader, tree, this, nodes, derived)
  if not nodes then return end
  nodes.steps = nodes.steps or steps_of(nodes)
  for _, step in ipairs(nodes.steps) do
    if step.run then
      read_run(reader, tree, this, step.run, derived)
    else
      readers[step.node.kind](reader, tree, this, step.node, derived)
    end
  end
end

-- The slot in which the variant of a message is chosen, after the fields that all variants share.

local function decisive(slots, message)
  for _, slot in ipairs(slots) do
    for _, variant in ipairs(message.variants) do
      if variant.sections[slot.section] then return slot end
    end
  end
  return slots[#slots]
end

local function chosen(reader, message, this)
  for _, variant in ipairs(message.variants) do
    if not variant.when or evaluate(variant.when, this, reader.record, reader.frame) then return variant end
  end
end

local function hold(reader, rule, this, which)
  if rule and not reader.open and not evaluate(rule[2], this, reader.record, reader.frame) then
    fail("invalid", 0, reader.path, rule[1] .. " expected" .. which)
  end
end

local function read_message(reader, tree, record, tail, message, header)
  local this, derived, variant, slots = {}, {}, nil, {}
  for _, part in ipairs(tail) do
    if part.kind == "slot" then slots[#slots + 1] = part end
  end
  local deciding = #message.variants > 0 and decisive(slots, message)
  for _, part in ipairs(tail) do
    if part.kind ~= "slot" then
      read(reader, tree, record, {part}, header)
    else
      local limit, item = enter(reader, part, tree, record)
      reader.path = message.name .. "."
      read(reader, item, this, message.sections[part.section], derived)
      if part == deciding then
        variant = chosen(reader, message, this)
        if variant then
          item:add(message.variant.field, range_of(reader, reader.pos, 0), variant.name):set_generated()
        end
      end
      if variant then read(reader, item, this, variant.sections[part.section], derived) end
      part.trailing = message.trailing[part.section] or part.left_over
      leave(reader, part, item, limit, this)
      reader.path = ""
    end
  end
  reader.path = message.name .. "."
  verify(reader, this, derived)
  hold(reader, message.valid, this, "")
  if variant then
    hold(reader, variant.valid, this, " of " .. variant.name)
  else
    hold(reader, message.otherwise, this, " where no variant is")
  end
  reader.path = ""
  for _, node in ipairs(message.derive or {}) do
    local value, expected = record[node.name], evaluate(node.derive, this, record, reader.frame)
    if value ~= nil and value ~= expected and not reader.open then
      local what = shown(expected) .. " expected, found " .. shown(value)
      fail("derived", reader.frame[node.name][1], node.name, what)
    end
  end
end

local function message_of(messages, record)
  local unknown
  for _, message in ipairs(messages) do
    if message.name == "unknown" then
      unknown = message
    elseif not message.match or message.match(record, record, {}) then
      return message
    end
  end
  return unknown or fail("unknown-layout", 0, "record", "no message has such a header")
end

-- =============================================================================
-- 9  Framing
-- =============================================================================
-- `look` is the data at hand with the framing of the protocol. It is `final` if no more data can follow.

-- The longest record, and how many records decide between two byte orders.
local LARGEST = 64 * 1024 * 1024
local AHEAD = 16

local function probed(look, at, probe, little)
  return probe[3].read(look.data, at + probe[2], little, probe[1])
end

-- A reader that looks for the end of a record and ignores wrong values.
local function glance(look, at, little)
  local data = look.data:sub(at + 1, math.min(look.stop, at + LARGEST))
  return {
    data = data, tvb = function() return nothing end, base = 0, pos = 0, limit = #data, stop = #data,
    little = little, record = {}, path = "", frame = {}, open = true,
  }
end

-- Parses the beginning of a record with such a reader.
local function glanced(look, at, little, parse)
  local reader = glance(look, at, little)
  local known, problem = pcall(parse, reader)
  if known then return reader end
  if type(problem) == "table" and problem.needed > LARGEST then
    fail("too-long", 0, "record", "a record of more than " .. counted(LARGEST, "byte"))
  end
  error(problem, 0)
end

-- The length of a record without a length field: where its fields end.
local function end_of_fields(look, at, little)
  local framing = look.framing
  return glanced(look, at, little, function(reader)
    read(reader, nothing, reader.record, framing.first, {})
    read_message(reader, nothing, reader.record, framing.behind, message_of(framing.messages, reader.record), {})
  end).pos
end

-- The fields that the length depends on: their values and their frame.
local function beginning(look, at, lengths, little)
  local reader = glanced(look, at, little, function(reader) read(reader, nothing, reader.record, lengths.head, {}) end)
  if lengths.reached then reader.frame[lengths.reached] = {reader.pos, reader.pos} end
  return reader.record, reader.frame
end

-- The place of the first byte from `at` on that is not the flag.
local function after_flags(data, at, flag)
  while data:sub(at + 1, at + 1) == flag do at = at + 1 end
  return at
end

-- The end of the next terminator, or of the flag after a record, if there is one.
local function after_terminator(look, at)
  local flag = look.framing.flag
  if flag then return (look.data:find(flag, after_flags(look.data, at, flag) + 1, true)) end
  local stop
  for _, bytes in ipairs(look.framing.ends) do
    local _, last = look.data:find(bytes, at + 1, true)
    if last and last <= (stop or last) then stop = last end
  end
  return stop
end

-- How many bytes the terminator of a record has, and whether records are written with it. One that is cut off has none,
-- nor has one that is unterminated.
function readers.ending(framing, data)
  local most, is_first = 0, not framing.unterminated
  for i, bytes in ipairs(framing.ends or {}) do
    if #bytes > most and data:sub(-#bytes) == bytes then most, is_first = #bytes, i == 1 end
  end
  return most, is_first
end

local function to_terminator(look, at)
  local last, left = after_terminator(look, at), look.stop - at
  if last and last - at <= LARGEST then return last - at end
  if left > LARGEST then fail("too-long", 0, "record", "a record of more than " .. counted(LARGEST, "byte")) end
  if look.framing.unterminated and look.final and left > 0 then return left end
  local flag = look.framing.flag
  if flag and after_flags(look.data, at, flag) == look.stop then
    fail("invalid-size", 0, "record", "no record after flags", left + 1)
  end
  fail("unterminated", 0, "record", flag and "no flag after it" or "no terminator", left + 1)
end

local function measure(look, at, little)
  if look.framing.ends or look.framing.flag then return to_terminator(look, at) end
  local left, found, lengths = look.stop - at, {}, nil
  for _, probe in ipairs(look.framing.match) do
    if left < probe[2] + probe[3].size then
      fail("truncated", probe[2], probe[1], "needs more bytes", probe[2] + probe[3].size)
    end
    found[probe[1]] = probed(look, at, probe, little)
  end
  for _, option in ipairs(look.framing.lengths) do
    if not option.match or option.match(found, found, {}) then
      lengths = option
      break
    end
  end
  if not lengths then fail("unknown-layout", 0, "record", "no layout, so its length is unknown") end
  if left < lengths.size then
    local what = ("needs %d bytes to tell its length, %d left"):format(lengths.size, left)
    fail("truncated", 0, "record", what, lengths.size)
  end
  local values, frame = {}, {}
  for _, probe in ipairs(lengths.probes) do values[probe[1]] = probed(look, at, probe, little) end
  if lengths.head then values, frame = beginning(look, at, lengths, little) end
  if lengths.valid and not evaluate(lengths.valid[2], values, values, frame) then
    fail("invalid", 0, "record", lengths.valid[1] .. " expected")
  end
  local sum = lengths.checksum
  if sum then
    local first, last = sum.from(values, values, frame), sum.to(values, values, frame)
    local place = sum.place(values, values, frame)
    if first < 0 or place < 0 or last < first then
      fail("invalid-size", 0, sum.name, "the sum of " .. shown(first) .. " to " .. shown(last))
    end
    local needed = greatest(last, place + sum.value.size)
    if needed > LARGEST then fail("too-long", 0, sum.name, counted(needed, "byte") .. " to be summed up") end
    if needed > left then fail("truncated", 0, sum.name, "needs " .. counted(needed, "byte"), needed) end
    local expected = sum.algorithm(look.data:sub(at + first + 1, at + last))
    local stored = sum.value.read(look.data, at + place, little, sum.name)
    if expected ~= stored then
      fail("checksum", place, sum.name, shown(expected) .. " expected, found " .. shown(stored))
    end
  end
  if lengths.length then
    local doubt
    for _, each in ipairs(lengths.doubts or {}) do
      if evaluate(each[2], values, values, frame) then doubt = each[1] break end
    end
    local length = evaluate(lengths.length, values, values, frame)
    if not length then fail("invalid-size", 0, "record", "it follows from what is absent") end
    return length, doubt, sum ~= nil and not doubt
  end
  if lengths.fields then return end_of_fields(look, at, little) end
  if not look.final then fail("truncated", 0, "record", "has no end yet", left + 1) end
  return left
end

-- What `measure` finds: the length of the record or nil, its problem, a doubt about it, whether a checksum proves it.
local function tried(look, at, little)
  local known, found, doubt, is_proven = pcall(measure, look, at, little)
  if known then return found, nil, doubt, is_proven end
  if type(found) ~= "table" then error(found, 0) end
  return nil, found
end

local function orders(framing)
  if framing.little then return {framing.little() == true} end
  local stated = framing.byte_order and parameters[framing.byte_order] or "big"
  if stated == "big" then return {false} end
  if stated == "little" then return {true} end
  return {false, true}
end

local function waits(look, problem, at)
  return not look.final and problem.needed > look.stop - at
end

-- Whether the records that follow have this byte order: the first that is valid in only one order decides.
local function followed(look, start, at, little)
  local origin = start
  for _ = 1, AHEAD do
    if at <= start or at - start > LARGEST then return false end
    local found, count = {}, 0
    for _, other in ipairs(orders(look.framing)) do
      local length, problem = tried(look, at, other)
      if problem and waits(look, problem, at) then
        problem.needed = problem.needed + at - origin
        error(problem, 0)
      end
      if length then found[other], count = length, count + 1 end
    end
    if not found[little] then return false end
    if count == 1 then return true end
    start, at = at, at + found[little]
  end
  return false
end

-- The length and byte order of the record at a position; raises its problem if there is none.
local function first_of(look, at, order_before)
  local found, problems, tries = {}, {}, orders(look.framing)
  local waiting, is_settled = nil, false
  if order_before and #tries == 2 then tries = {true, false} end
  for _, little in ipairs(tries) do
    local length, problem, _, is_proven = tried(look, at, little)
    if length and little == order_before then return length, little end
    is_settled = is_settled or (is_proven and length <= look.stop - at)
    if problem and waits(look, problem, at) then waiting = waiting or problem end
    found[little], problems[little] = length, problem
  end
  -- A whole record with a good checksum does not wait for the other byte order: no more data may come.
  if waiting and not is_settled then error(waiting, 0) end
  if found[true] and found[false] then
    local big, little = followed(look, at, at + found[false], false), followed(look, at, at + found[true], true)
    if big == little then fail("ambiguous", 0, "record", "a record in both byte orders") end
    return found[little], little
  end
  for _, little in ipairs(tries) do
    if found[little] then return found[little], little end
  end
  local worst = problems[tries[1]]
  for _, little in ipairs(tries) do
    local problem = problems[little]
    local cut, other = problem.needed > look.stop - at, worst.needed > look.stop - at
    if cut and (not other or problem.needed < worst.needed) then worst = problem end
    if not cut and not other and not little then worst = problem end
  end
  error(worst, 0)
end

-- Whether the data end at a position, or a record begins there, possibly one that is cut off.
local function leads_on(look, at, order_before)
  if at >= look.stop and look.final then return at == look.stop end
  local known, found = pcall(first_of, look, at, order_before)
  if known then return found > 0 and found <= LARGEST end
  if type(found) ~= "table" then error(found, 0) end
  if waits(look, found, at) then error(found, 0) end
  return look.final and found.needed > look.stop - at
end

-- Whether records of the protocol can be doubtful, so that the next record has to confirm them.
local function doubts(framing)
  for _, lengths in ipairs(framing.lengths) do
    if lengths.doubts then return true end
  end
  return false
end

-- Whether a record that was found is in no doubt, or the next one confirms it.
local function borne_out(look, at, length, little)
  if not doubts(look.framing) then return true end
  local _, _, doubt = tried(look, at, little)
  return not doubt and leads_on(look, at + length, little)
end

local function search(look, at, order_before, is_whole_needed)
  local smallest, window = huge, 0
  for _, lengths in ipairs(look.framing.lengths) do
    smallest, window = math.min(smallest, lengths.size), math.max(window, lengths.size)
  end
  while at <= look.stop - (look.final and smallest or window) do
    local known, length, little = pcall(first_of, look, at, order_before)
    if not known and type(length) ~= "table" then error(length, 0) end
    if not known and waits(look, length, at) then return at end
    if known and length > 0 and length <= LARGEST and not (is_whole_needed and length > look.stop - at) then
      local is_decided, holds = pcall(borne_out, look, at, length, little)
      if not is_decided and type(holds) ~= "table" then error(holds, 0) end
      if not is_decided then return at end
      if holds then return at, true end
    end
    at = at + 1
  end
  return look.final and look.stop or math.max(at, look.stop - window + 1)
end

-- The next record or malformed range, as {at, length, little, proven, problem}; or nil and how many bytes it lacks.
local function cut(look, at, order_before)
  local left = look.stop - at
  local known, length, little = pcall(first_of, look, at, order_before)
  local problem
  if not known then
    problem = length
    if type(problem) ~= "table" then error(problem, 0) end
    if waits(look, problem, at) then return nil, DESEGMENT_ONE_MORE_SEGMENT end
  elseif length > LARGEST then
    problem = {code = "too-long", at = 0, path = "record", detail = "a record of " .. counted(length, "byte")}
  elseif length <= 0 then
    problem = {code = "invalid-size", at = 0, path = "record", detail = "a record of " .. counted(length, "byte")}
  end
  if problem then
    local stop = look.framing.resync and search(look, at + 1, order_before) or look.stop
    local flag = look.framing.flag
    if flag and after_flags(look.data, at, flag) == look.stop then return {at = at, length = left, skipped = true} end
    if look.framing.ends or flag then stop = after_terminator(look, at + 1) or look.stop end
    return {at = at, length = stop - at, little = order_before, proven = false, problem = problem}
  end
  if length <= left then
    local _, _, doubt = tried(look, at, little)
    local is_decided, holds = pcall(leads_on, look, at + length, little)
    if doubt and not is_decided then
      if type(holds) ~= "table" then error(holds, 0) end
      return nil, DESEGMENT_ONE_MORE_SEGMENT
    end
    if not doubt or holds then return {at = at, length = length, little = little, proven = true} end
    problem = {code = "invalid", at = 0, path = "record", detail = doubt .. ", and no record follows"}
    local stop = search(look, at + 1, order_before)
    return {at = at, length = stop - at, little = order_before, proven = false, problem = problem}
  end
  if not look.final then return nil, length - left end
  local detail = ("a record of %d bytes, %d left"):format(length, left)
  problem = {code = "truncated", at = 0, path = "record", detail = detail}
  local _, _, unsure = tried(look, at, little)
  if look.framing.resync and (unsure or not doubts(look.framing)) then
    local stop, proven = search(look, at + 1, order_before, true)
    if proven then return {at = at, length = stop - at, little = little, proven = false, problem = problem} end
  end
  return {at = at, length = left, whole = length, little = little, proven = true, problem = problem}
end

-- Escapes, by the names that specs have for them. Each has a function that unescapes bytes, and one that escapes them.
local function escape_pairs(escape, codes, others)
  local meanings, written = {}, {}
  for _, pair in ipairs(codes) do
    local code, byte = pair[1], pair[2]
    meanings[code] = byte
    written[string.char(byte)] = written[string.char(byte)] or string.char(escape, code)
  end
  local function unescape(data)
    local found, at = {}, 1
    while at <= #data do
      local byte = data:byte(at)
      if byte == escape then
        local code = data:byte(at + 1)
        if not code then fail("escape", at - 1, "record", ("%02x ends it"):format(byte)) end
        local meaning = meanings[code] or others and others(code)
        if not meaning then fail("escape", at - 1, "record", ("%02x%02x is no escape"):format(byte, code)) end
        byte, at = meaning, at + 1
      elseif written[string.char(byte)] then
        fail("escape", at - 1, "record", ("%02x must be escaped"):format(byte))
      end
      found[#found + 1] = string.char(byte)
      at = at + 1
    end
    return table.concat(found)
  end
  return {unescape = unescape, escape = function(data) return (data:gsub(".", written)) end}
end

local escapes

do
  local function uncobs(data)
    local zero = data:find("\0", 1, true)
    if zero then fail("escape", zero - 1, "record", "00 must be escaped") end
    local found, at = {}, 1
    while at <= #data do
      local count = data:byte(at)
      if at + count - 1 > #data then
        fail("escape", at - 1, "record", ("%02x stands for more bytes than are left"):format(count))
      end
      found[#found + 1] = data:sub(at + 1, at + count - 1)
      at = at + count
      if count < 255 and at <= #data then found[#found + 1] = "\0" end
    end
    return table.concat(found)
  end

  local function cobs(data)
    local found, at = {}, 1
    while at <= #data + 1 do
      local zero = data:find("\0", at, true) or #data + 1
      local size = math.min(zero - at, 254)
      found[#found + 1] = string.char(size + 1) .. data:sub(at, at + size - 1)
      at = at + size + (size < 254 and 1 or 0) -- behind the zero, if it comes now
      if size == 254 and at == #data + 1 then break end
    end
    return table.concat(found)
  end

  escapes = {
    slip = escape_pairs(0xdb, {{0xdc, 0xc0}, {0xdd, 0xdb}}),
    hdlc = escape_pairs(0x7d, {{0x5d, 0x7d}, {0x5e, 0x7e}}, function(code)
      return code ~= 0x7d and code ~= 0x7e and xor(code, 0x20) or nil
    end),
    cobs = {unescape = uncobs, escape = cobs},
  }
end

-- =============================================================================
-- 10  Registration
-- =============================================================================

-- The codes of problems, each an expert information.
local codes = {
  "truncated", "overrun", "invalid-size", "trailing-bytes", "count", "constant", "invalid", "range", "derived",
  "checksum", "text", "unterminated", "leb128", "varint", "padding", "place", "ambiguous", "unknown-layout", "too-long",
  "too-deep", "escape",
}

-- Registers a protocol: its fields and preferences, its dissector and its ports.
local function register(spec)
  local title = spec.title .. " (" .. spec.name .. ")"
  local name = spec.name
  local free, protocol = pcall(Proto.new, name, title)
  if not free then -- Wireshark has a protocol of this name
    name = "wireloom_" .. name
    protocol = Proto.new(name, title .. " of Wireloom")
  end
  local head, tail = {}, {}
  for _, node in ipairs(spec.record) do
    local into = (node.kind == "slot" or #tail > 0) and tail or head
    into[#into + 1] = node
  end
  spec.framing.first, spec.framing.behind, spec.framing.messages = head, tail, messages
  declare(name, name, spec.record)
  for type, nodes in pairs(types) do declare(name, name .. "." .. type, nodes) end
  for _, message in ipairs(messages) do
    local owner = name .. "." .. message.name
    message.variant = {name = "variant", shape = "string", doc = "Which of the message's layouts it has"}
    declare(name, owner, {message.variant})
    for _, nodes in pairs(message.sections) do declare(name, owner, nodes) end
    for _, variant in ipairs(message.variants) do
      for _, nodes in pairs(variant.sections) do declare(name, owner, nodes) end
    end
    message.trailing = {}
    for _, slot in ipairs(tail) do
      if slot.left_over then
        message.trailing[slot.section] = {name = slot.left_over.name, shape = "bytes", doc = slot.left_over.doc}
        declare(name, owner, {message.trailing[slot.section]})
      end
    end
  end
  local message_name = declared(ProtoField.string, name .. ".message", "message", base.NONE, "Which message it is")
  local stated = spec.framing.byte_order
  local order_name = stated and declared(ProtoField.string, name .. "." .. stated, stated, base.NONE, "In force")
  local reason = declared(ProtoField.string, name .. "._corrupt_reason", "Malformed", base.NONE, "Why it is malformed")
  local remains = declared(ProtoField.bytes, name .. "._corrupt_record", "Bytes", base.NONE, "Not a record")
  local raw = spec.framing.raw
  local kept = raw and declared(ProtoField.bytes, name .. "." .. raw, raw, base.NONE, "Written otherwise")
  protocol.fields = registered
  local experts, all_experts = {}, {}
  for _, code in ipairs(codes) do
    local group = code == "checksum" and expert.group.CHECKSUM or expert.group.MALFORMED
    experts[code] = ProtoExpert.new(name .. ".Malformed." .. code, "Malformed: " .. code, group, expert.severity.ERROR)
    all_experts[#all_experts + 1] = experts[code]
  end
  protocol.experts = all_experts

  for _, parameter in ipairs(spec.parameters) do
    parameters[parameter.name] = parameter.default
    if parameter.choices then
      local options = {}
      for i, choice in ipairs(parameter.choices) do
        options[i] = {i, choice, i}
        if choice == parameter.default then parameter.chosen = i end
      end
      protocol.prefs[parameter.name] = Pref.enum(parameter.name, parameter.chosen, parameter.doc, options, false)
    elseif type(parameter.default) == "boolean" then
      protocol.prefs[parameter.name] = Pref.bool(parameter.name, parameter.default, parameter.doc)
    else
      protocol.prefs[parameter.name] = Pref.string(parameter.name, shown(parameter.default), parameter.doc)
    end
  end
  local ports, heuristic = "wireloom_ports", "wireloom_heuristic"
  local usual = table.concat(spec.ports, ",")
  protocol.prefs[ports] = Pref.range("Ports", usual, "TCP and UDP ports on which it is spoken", 65535)
  protocol.prefs[heuristic] = Pref.bool("Try on all ports", false, "Take what proves itself on any TCP port for it")
  local listening = {}

  -- Ports of the spec belong to its transport, or to TLS if Wireshark has TLS at them; other ports to both transports.
  local function tables_of(port)
    for _, each in ipairs(spec.ports) do
      if port == each then
        local own = spec.transport .. ".port"
        return {tostring(DissectorTable.get(own):get_dissector(port)) == "TLS" and "tls.port" or own}
      end
    end
    return {"tcp.port", "udp.port"}
  end

  local function listen(range)
    for i = #listening, 1, -1 do
      local taken = listening[i]
      taken.dissectors:remove(taken.port, protocol)
      if taken.before then taken.dissectors:add(taken.port, taken.before) end
    end
    listening = {}
    for first, last in range:gmatch("(%d+)%-?(%d*)") do
      for port = tonumber(first), tonumber(last) or tonumber(first) do
        for _, name in ipairs(tables_of(port)) do
          local dissectors = DissectorTable.get(name)
          listening[#listening + 1] = {dissectors = dissectors, port = port, before = dissectors:get_dissector(port)}
          dissectors:add(port, protocol)
        end
      end
    end
  end

  function protocol.prefs_changed()
    for _, parameter in ipairs(spec.parameters) do
      local value = protocol.prefs[parameter.name]
      parameters[parameter.name] = parameter.choices and parameter.choices[value] or value
      if parameter.choices and not parameter.choices[value] then parameters[parameter.name] = parameter.default end
      if parameter.least then
        local number = value:match("^%s*%-?%d+%s*$") and int(value:gsub("%s", ""))
        local fits = number and parameter.least <= number and number <= parameter.most
        parameters[parameter.name] = fits and number or parameter.default
      end
    end
    listen(protocol.prefs[ports])
  end

  local function decode(reader, tree, found)
    local header, record = {}, reader.record
    read(reader, tree, record, head, header)
    found.message = message_of(messages, record)
    tree:add(message_name, range_of(reader, 0, 0), found.message.name):set_generated()
    read_message(reader, tree, record, tail, found.message, header)
    verify(reader, record, header)
    local gaps, left = left_over(reader, "")
    if left > 0 then fail("trailing-bytes", gaps[1][1], "record", counted(left, "byte") .. " left over") end
  end

  -- Decodes what is between the flags of a record, in a buffer of its own if something is escaped there.
  local function between_flags(reader, tree, found)
    local start = after_flags(reader.data, 0, spec.framing.flag)
    local escaped, ways, whole = reader.data:sub(start + 1, -2), spec.framing.escapes, reader.data
    local known, contents = pcall(ways and ways.unescape or tostring, escaped)
    if not known then
      if type(contents) == "table" then contents.at = contents.at + start end
      error(contents, 0)
    end
    if #contents == 0 then fail("invalid-size", start, "record", "nothing is between its flags") end
    if start ~= (spec.framing.shared and 0 or 1) or (ways and ways.escape(contents) ~= escaped) then
      tree:add(kept, reader.tvb(reader.base, #whole))
    end
    reader.data, reader.limit, reader.stop, reader.frame = contents, #contents, #contents, {record = {0, #contents}}
    if contents == escaped then
      reader.base = reader.base + start
    else
      reader.tvb, reader.base = ByteArray.new(contents, true):tvb("Unescaped"), 0
    end
    local sound, wrong = pcall(decode, reader, tree, found)
    if sound then return end
    if type(wrong) == "table" and contents == escaped then
      wrong.at = wrong.at + start
    elseif type(wrong) == "table" then
      wrong.detail = ("%s (at byte %s of what is unescaped)"):format(wrong.detail, shown(wrong.at))
      wrong.at = start
    end
    error(wrong, 0)
  end

  local function show(tvb, data, piece, tree, kinds)
    local range = tvb(piece.at, piece.length)
    local item, problem, found = tree:add(protocol, range), piece.problem, {}
    if order_name and piece.proven then
      item:add(order_name, tvb(piece.at, 0), piece.little and "little" or "big"):set_generated()
    end
    if piece.proven then
      local bytes = data:sub(piece.at + 1, piece.at + piece.length)
      local end_size, is_first = readers.ending(spec.framing, bytes)
      local stop = piece.length - end_size
      local reader = {
        data = bytes, tvb = tvb, base = piece.at, pos = 0,
        limit = stop, stop = stop, little = piece.little, record = {}, path = "",
        frame = {record = {0, spec.framing.raw and stop or piece.whole or piece.length}},
      }
      if not is_first then item:add(kept, range_of(reader, stop, end_size)) end
      local sound, wrong = pcall(spec.framing.flag and between_flags or decode, reader, item, found)
      if not sound and type(wrong) ~= "table" then error(wrong, 0) end
      problem = problem or not sound and wrong or nil
    end
    if problem then
      local path = problem.path == "" and "record" or problem.path
      local why = ("%s: %s at byte %s: %s"):format(problem.code, path, shown(problem.at), problem.detail)
      item:add(reason, range, why):set_generated()
      item:add_proto_expert_info(experts[problem.code], why)
      if not piece.proven then item:add(remains, range) end
    end
    local kind = found.message and found.message.name or "malformed"
    item:append_text(", " .. kind)
    kinds[#kinds + 1] = problem and kind .. " (malformed)" or kind
  end

  function protocol.dissector(tvb, pinfo, tree)
    local data = tvb:raw()
    local look = {data = data, stop = #data, framing = spec.framing, final = pinfo.can_desegment == 0}
    local at, kinds, order_before = 0, {}, nil
    pinfo.cols.protocol = name
    while at < #data do
      local piece, more = cut(look, at, order_before)
      if not piece then
        pinfo.desegment_offset, pinfo.desegment_len = at, more
        break
      end
      if not piece.skipped then show(tvb, data, piece, tree, kinds) end
      if piece.proven then order_before = piece.little end
      at = at + piece.length
    end
    if #kinds > 0 then pinfo.cols.info = table.concat(kinds, ", ") end
    return #data
  end

  DissectorTable.get("tcp.port"):add_for_decode_as(protocol)
  DissectorTable.get("udp.port"):add_for_decode_as(protocol)
  listen(usual)
  if spec.framing.proven then
    protocol:register_heuristic("tcp", function(tvb, pinfo, tree)
      if not protocol.prefs[heuristic] then return false end
      local data = tvb:raw()
      local look = {data = data, stop = #data, framing = spec.framing, final = true}
      local known, length = pcall(first_of, look, 0)
      if not known or length <= 0 then return false end
      protocol.dissector(tvb, pinfo, tree)
      pinfo.conversation = protocol
      return true
    end)
  end
end

return {
  VERSION = VERSION,
  -- Expressions
  huge = huge, int = int, neg = neg, add = add, sub = sub, mul = mul, div = div, mod = mod, shl = shl, shr = shr,
  bnot = bnot, band = band, bor = bor, bxor = bxor, least = least, greatest = greatest, among = among,
  times = times,
  by_bytes = by_bytes, size_of = size_of, offset_of = offset_of, in_frame = in_frame, in_struct = in_struct,
  item = item, last_item = last_item, item_size = item_size, item_offset = item_offset, parameters = parameters,
  -- Values and checksums
  uint = uint, sint = sint, sized = sized, word_swapped = word_swapped, bit_slice = bit_slice, float = float,
  bool = bool, bcd = bcd, zoned = zoned, ibm = ibm, deeper = deeper,
  varint = varint, bytes = bytes, text = text, packed_text = packing.text, ascii = ascii, struct = struct,
  constant = constant,
  rest = rest, size = size, prefix = prefix, up_to = up_to, padded = padded,
  decoders = decoders, bytewise = bytewise, characters = packing.characters, crc = crc, checksums = checksums,
  escapes = escapes, escape_pairs = escape_pairs,
  -- Nodes
  types = types, field = field, computed = computed, bits = bits, bit = bit, padding = padding, section = section,
  slot = slot, elsewhere = elsewhere, shared = shared, when = when, otherwise = otherwise, choice = choice,
  ordered = ordered, tail = tail, message = message, variant = variant, enum = enum,
  register = register,
}
