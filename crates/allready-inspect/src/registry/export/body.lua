
-- What is not declared has to look fine: patterns of names and words.
local wrong = "@wrong@"
local moving = "@moving@"
local state = "@state@"
local fine = "@fine@"
local good = "@good@"
local size = "@size@"
local pause = "@pause@"

local spec, status, meta = obj.spec or {}, obj.status or {}, obj.metadata
local health, message, told, known, seen, wanted = "Healthy", "", false, {}, {}, 0
local rank = { Healthy = 0, Suspended = 1, Progressing = 2, Unknown = 3, Missing = 4, Degraded = 5 }
local function say(what, text)
  if rank[what] > rank[health] then health, message = what, text end
end
local function has(text, patterns)
  text = tostring(text):lower():gsub("[%s_-]", "")
  for pattern in patterns:gmatch("%S+") do
    if text:find(pattern) then return true end
  end
end
local function items(value) return type(value) == "table" and value or {} end
--@ paths
local function at(path)
  local value = obj
  for name in path:gmatch("[^|]+") do value = items(value)[name] end
  return value
end
--@ end
local function walk(part, path, visit)
  for key, value in pairs(part) do
    local here = path .. "|" .. key
    if not known[here] and not has(key, "history previous") then
      if visit(tostring(key), value, part) then say("Progressing", here .. " is " .. tostring(value)) end
      walk(items(value), here, visit)
    end
  end
end
local function measure(key, value)
  if has(key, size) then wanted = math.max(wanted, tonumber(value) or 0) end
end
local function is_odd(key, value, part)
  local number = tonumber(value)
  if type(part.type) == "string" and part.status ~= nil and (key == "type" or key == "status") then
    return part.status ~= (has(part.type, wrong .. " " .. moving) and "False" or "True")
  elseif value == "" or value == false or value == "false" or number == 0 then
    return value ~= "" and has(key, good) and not key:find("eneration")
  elseif type(value) == "table" then
    return next(value) and has(key, wrong) or not next(value) and key:find("onditions$")
  elseif key:find("bservedGen") then
    return key ~= "observedGeneration" or not number or number < (meta.generation or 0)
  elseif number then
    return has(key, wrong) or has(key, good) and number < wanted or has(key, "percent") and number < 100
  elseif value == true then
    return has(key, wrong .. " ing$")
  elseif has(key, state) then
    return not has(value, fine)
  end
  return has(key, wrong) or value:find("^%d+[/%%]") or key ~= "name" and has(value, wrong)
end

for _, notes in ipairs({ items(meta.annotations), items(meta.labels) }) do
  for key, value in pairs(notes) do
    if has(key, pause) or has(key, state) and has(value, wrong) then say("Suspended", key .. " is " .. value) end
  end
end
walk(spec, "spec", function(key, value)
  if value == true and has(key, pause) then say("Suspended", key .. " is true") end
end)
for key, value in pairs(spec) do
  measure(key, value)
  for _, item in ipairs(items(value)) do
    local part = items(item)
    if part.count or part.replicas or part.size then wanted = math.huge end
    if status[key] and #items(status[key]) < #value then say("Progressing", "status." .. key .. " is not complete") end
  end
end
if spec.enabled == false then say("Suspended", "It is not enabled") end
if meta.deletionTimestamp then say("Progressing", "It is being deleted") end
if obj.conditions or spec.parentRefs then say("Unknown", "It has conditions in other places") end
--@ rests
for path, value in pairs(rests) do
  if tostring(at(path)):lower() == value then say("Suspended", path .. " is " .. value) end
end
--@ end
--@ words
for path, meanings in pairs(words) do
  local value = at(path)
  if type(value) == "boolean" then value = value and "True" or "False" end
  local what = meanings[tostring(value)] or meanings["*"] or "Unknown"
  if value ~= nil and what == "Healthy" then
    told, known[path] = true, true
  elseif value ~= nil and what ~= "ignore" then
    say(what, path .. " is " .. tostring(value))
  end
end
--@ end
--@ counts
for _, pair in ipairs(counts) do
  if (tonumber(at(pair.have)) or 0) < (tonumber(at(pair.want)) or 0) then say(pair.short, pair.have .. " is too low") end
end
--@ end
--@ types
for index, one in ipairs(items(status.conditions)) do
  local here, name = "status|conditions|" .. index, tostring(items(one).type)
  local type_ = types[name]
  --@ patterns
  for _, pair in ipairs(patterns) do type_ = type_ or name:find(pair[1]) and pair[2] end
  --@ end
  seen[name] = true
  if type_ and type_.good == "any" then
    known[here] = true
  elseif type_ and one.status == type_.good then
    for _, key in ipairs({ "type", "status", type_.skips }) do known[here .. "|" .. key] = true end
    told = told or type_.tells
  elseif type_ then
    local is_bad = one.status == "True" or one.status == "False"
    say(is_bad and type_.bad or "Progressing", name .. ": " .. tostring(one.reason) .. " " .. tostring(one.message))
  end
end
--@ end
--@ ignored
known["status|conditions"] = true
--@ end
--@ required
local is_there = false
for _, name in ipairs(required) do is_there = is_there or seen[name] end
if not is_there then say("Progressing", "A condition is missing") end
--@ end
if spec.forProvider and not seen.Ready then say("Progressing", "Ready is missing") end
walk(status, "status", measure)
walk(status, "status", is_odd)
told = told and next(status) ~= nil
--@ always
told = true
--@ end
--@ silent
told = told or next(status) == nil
--@ end
if not told then say("Progressing", "Nothing says that it is healthy") end
return { status = health, message = message }
