local rank = { Healthy = 1, Suspended = 2, Progressing = 3, Unknown = 4, Missing = 5, Degraded = 6 }
local worst, message = "Healthy", ""
local is_told, is_told_at_top, is_required_there, is_silent_below = false, false, false, false

local function say(health, text)
  if rank[health] > rank[worst] then
    worst, message = health, text
  end
end

-- Argo CD opens no library for strings, but strings can be compared: so each letter is found between its neighbours.
-- Nothing for a text that is longer than it may be, or has letters that are not plain.
local function letters(text, most, may_be_cut)
  local chars, read = {}, ""
  while read ~= text do
    if #chars >= most then
      if may_be_cut then
        break
      end
      return nil
    end
    local low, high = 1, #alphabet
    while low < high do
      local sum = low + high + 1
      local middle = (sum - sum % 2) / 2
      if read .. alphabet[middle] <= text then
        low = middle
      else
        high = middle - 1
      end
    end
    read = read .. alphabet[low]
    chars[#chars + 1] = alphabet[low]
  end
  return chars
end

-- A text with nothing but its letters and digits, in small letters.
local known = {}
local function flat(text, most)
  if known[text] == nil then
    local chars = letters(text, most or 80, false)
    local small = chars ~= nil and {} or false
    for _, char in ipairs(chars or {}) do
      if small_letters[char] then
        small[#small + 1] = small_letters[char]
      end
    end
    known[text] = small
  end
  return known[text] or nil
end

-- Whether one of some words is in a flat text; where it cannot be read, it may be.
local function has(small, words)
  if small == nil then
    return true
  end
  for first = 1, #small do
    local part = ""
    for last = first, #small do
      part = part .. small[last]
      if words[part] then
        return true
      end
    end
  end
  return false
end

local function whole(small)
  return small ~= nil and table.concat(small) or nil
end

local function ends(small, words)
  local part = ""
  for first = #small, 1, -1 do
    part = small[first] .. part
    if words[part] then
      return true
    end
  end
  return false
end

-- What follows after one of some beginnings, and which it is.
local function after(small, words)
  local part, found = "", {}
  for last = 1, #small do
    part = part .. small[last]
    if words[part] then
      found[part] = table.concat(small, "", last + 1)
    end
  end
  return found
end

local function fits(chars, pattern)
  -- A pattern is its parts between the stars; the first and the last are fixed to the ends.
  local at = 1
  for index, part in ipairs(pattern) do
    local is_last = index == #pattern
    local found = nil
    local first, last = at, #chars - #part + 1
    if index == 1 then
      last = first
    elseif is_last then
      first = last
    end
    for start = first, last do
      if start >= at and table.concat(chars, "", start, start + #part - 1) == part then
        found = start
        break
      end
    end
    if found == nil or found + #part - 1 > #chars then
      return false
    end
    at = found + #part
  end
  return true
end

local function at(path)
  local value = obj
  for _, name in ipairs(path) do
    if type(value) ~= "table" then
      return nil
    end
    value = value[name]
  end
  return value
end

local function scalar(value)
  if value == true then
    return "True"
  elseif value == false then
    return "False"
  end
  return tostring(value)
end

local function is_empty(value)
  return value == nil or value == "" or (type(value) == "table" and next(value) == nil)
end

local generation = type(obj.metadata) == "table" and tonumber(obj.metadata.generation) or nil
local function is_old(observed)
  observed = type(observed) ~= "table" and tonumber(observed) or nil
  return generation ~= nil and observed ~= nil and observed < generation
end

local function breaks(reason)
  if type(reason) ~= "string" or reason == "" then
    return reason ~= nil and reason ~= ""
  end
  local small, rest, skip = flat(reason), {}, 0
  for index, char in ipairs(small or {}) do
    if recoveries[table.concat(small, "", index, index + 7 <= #small and index + 7 or #small)] then
      skip = 8
    end
    if skip > 0 then
      skip = skip - 1
    else
      rest[#rest + 1] = char
    end
  end
  return small == nil or has(rest, hard) or broken_words[whole(small)] == true
end

local function meaning_of(name)
  if conditions[name] ~= nil or #patterns == 0 then
    return conditions[name]
  end
  local chars = letters(name, 120, false)
  for _, pattern in ipairs(patterns) do
    if chars == nil or fits(chars, pattern.parts) then
      return pattern
    end
  end
  return nil
end

-- A condition of which nothing is known: it must neither sound bad nor be anything but True.
local function guess(name, condition, text)
  local small = flat(name)
  if is_old(condition.observedGeneration) then
    say("Progressing", name .. " is about an older generation")
  elseif breaks(condition.reason) then
    say("Degraded", text)
  elseif condition.status ~= "True" then
    say("Progressing", text)
  elseif has(small, bad_names) then
    say("Degraded", text)
  elseif ends(small, under_way_ends) or next(after(small, denials)) ~= nil then
    say("Progressing", text)
  end
end

-- Whether it counts for or against the object.
local function judge(condition, is_top)
  if type(condition) ~= "table" or type(condition.type) ~= "string" then
    return false
  end
  local name, status, reason = condition.type, condition.status, condition.reason
  local text = name .. ": " .. tostring(reason or "") .. " " .. tostring(condition.message or "")
  local meaning = meaning_of(name)
  if required[name] then
    is_required_there = true
  end
  if meaning ~= nil and meaning.sort == "tells" then
    return false
  end
  if not is_empty(condition.errors) then
    say("Degraded", text)
  end
  if meaning == nil then
    guess(name, condition, text)
    return false
  elseif meaning.sort == "rests" then
    if status == "True" then
      say("Suspended", text)
    elseif status ~= nil and status ~= "False" and status ~= "Unknown" then
      say("Progressing", text)
    end
    return false
  elseif meaning.sort == "moves" then
    if breaks(reason) then
      say("Degraded", text)
    elseif type(reason) == "string" and has(flat(reason), at_rest) then
      say("Suspended", text)
    elseif status ~= "False" and not (status == "True" and done[reason]) then
      say("Progressing", text)
    end
    return false
  end
  if is_old(condition.observedGeneration) then
    say("Progressing", name .. " is about an older generation")
  elseif status == meaning.good then
    if meaning.good == "True" and meaning.bad == nil and breaks(reason) then
      say("Degraded", text)
    elseif meaning.speaks then
      is_told = true
      is_told_at_top = is_told_at_top or is_top
    end
  elseif status == meaning.broken then
    local bad = meaning.reasons[reason or ""] or meaning.bad
    local sounds_bad = meaning.good == "False" or breaks(reason)
    say(bad or (sounds_bad and "Degraded" or "Progressing"), text)
  elseif meaning.good == "True" or (status ~= nil and status ~= "Unknown") then
    say(meaning.unknown, text)
  end
  return true
end

local function judge_all(list, is_top)
  local counts = false
  if list[1] == nil and next(list) ~= nil then
    say("Unknown", "The conditions are not a list")
  end
  for _, condition in ipairs(list) do
    counts = judge(condition, is_top) or counts
  end
  return counts
end

-- Lists of conditions below the top.
local function walk(part, depth)
  for key, value in pairs(part) do
    if type(value) == "table" then
      local small = type(key) == "string" and flat(key) or nil
      if small ~= nil and ends(small, { conditions = true }) then
        if (depth > 0 or key ~= "conditions") and not judge_all(value, false) then
          is_silent_below = true
        end
      elseif depth > 20 then
        say("Unknown", "It is too deep to be read")
      else
        walk(value, depth + 1)
      end
    end
  end
end

local function flag(key, value, is_top)
  local is_true = value == true
  if type(value) == "string" then
    local text = whole(flat(value))
    is_true = text == "true"
    if text ~= "true" and text ~= "false" then
      return
    end
  end
  local small = flat(key)
  local name = whole(small)
  local is_good = good_flags[name] or small == nil or ends(small, good_flag_ends) or after(small, { readyto = true }).readyto
  if is_good then
    if not is_true then
      say("Progressing", key .. " is false")
    end
  elseif is_true then
    local first = letters(key, 3, true)
    local begins_with_no = (name == "no" or after(small, denials).no) and small_letters[first[3]] ~= first[3]
    if bad_flags[name] or has(small, hard) or begins_with_no then
      say("Degraded", key .. " is true")
    end
  end
end

local function facts(part, is_top)
  for key, value in pairs(part) do
    if type(key) == "string" then
      local small = flat(key)
      if type(value) == "boolean" or type(value) == "string" then
        flag(key, value, is_top)
      end
      if not is_empty(value) and value ~= false and value ~= 0 then
        local is_error = small == nil or ends(small, error_ends) or error_keys[whole(small)]
        if is_error and value ~= true and not (type(value) == "string" and no_error[whole(flat(value))]) then
          say("Degraded", key .. ": " .. tostring(value))
        elseif is_top and type(value) == "table" and next(after(small, failures)) ~= nil then
          say("Degraded", key .. " is not empty")
        end
      end
    end
  end
end

local function state(key, value, is_top)
  local small = flat(key)
  if value == "" or (small ~= nil and not state_keys[whole(small)] and not ends(small, state_ends)) then
    return
  end
  local word = whole(flat(value))
  if word ~= nil and good_words[word] then
    if is_top and state_keys[whole(small)] then
      is_told, is_told_at_top = true, true
    end
  elseif word ~= nil and resting_words[word] then
    if is_top then
      say("Suspended", key .. " is " .. value)
    end
  elseif word == nil or not neutral_words[word] then
    local is_now = small ~= nil and state_keys[whole(small)]
    say(bad_words[word] and is_now and "Degraded" or "Progressing", key .. " is " .. value)
  end
end

local function glance(part, depth)
  for key, value in pairs(part) do
    local small = type(key) == "string" and flat(key) or nil
    if type(value) == "table" and not (type(key) == "string" and small ~= nil and has(small, skipped)) then
      if not (value.type ~= nil and value.lastTransitionTime ~= nil) then
        local is_map_of_states = small ~= nil and ends(small, maps_of_states)
        for inner, word in pairs(value) do
          if type(inner) == "string" and type(word) == "string" then
            state(inner, word, false)
            if is_map_of_states and bad_words[whole(flat(word))] then
              say("Degraded", inner .. " is " .. word)
            end
          end
        end
        facts(value, false)
      end
      if depth < 8 then
        glance(value, depth + 1)
      end
    end
  end
end

-- Names and values of what is a number, also one that is written as text.
local function numbers(part)
  local found = {}
  for key, value in pairs(part) do
    local small = type(key) == "string" and flat(key) or nil
    if small ~= nil and (type(value) == "number" or type(value) == "string") and tonumber(value) ~= nil then
      found[whole(small)] = tonumber(value)
    end
  end
  return found
end

local function count(status, spec)
  local have, wish = numbers(status), numbers(spec)
  for name, number in pairs(have) do
    local small = flat(name)
    if number > 0 and next(after(small, lacks)) ~= nil then
      say("Progressing", name .. " is " .. number)
    end
    local nouns = after(small, havings)
    if havings[name] then
      nouns[name] = "replicas"
    end
    for _, noun in pairs(nouns) do
      local wants = { wish[noun], have["desired" .. noun], have["expected" .. noun], have["total" .. noun], have[noun] }
      for _, size in ipairs(sizes) do
        wants[#wants + 1] = wish[size]
      end
      for other, want in pairs(have) do
        if next(after(flat(other), { expected = true, desired = true })) ~= nil then
          wants[#wants + 1] = want
        end
      end
      for _, want in pairs(wants) do
        if number < want then
          say("Progressing", name .. " is " .. number .. " of " .. want)
        end
      end
    end
  end
end

local function fractions(part, depth)
  for key, value in pairs(part) do
    if type(value) == "string" and type(key) == "string" and has(flat(key), fraction_names) then
      local have, want, slashes = "", "", 0
      for _, char in ipairs(letters(value, 20, true)) do
        if char == "/" then
          slashes = slashes + 1
        elseif slashes == 0 then
          have = have .. char
        else
          want = want .. char
        end
      end
      have, want = tonumber(have), tonumber(want)
      if slashes == 1 and have ~= nil and want ~= nil and have < want then
        say("Progressing", key .. " is " .. value)
      end
    elseif type(value) == "table" and depth < 1 then
      fractions(value, depth + 1)
    end
  end
end

-- Listeners and parents that the spec names and the status is silent about, where it speaks of others.
local function answered(wishes, answers, below)
  if type(wishes) ~= "table" or type(answers) ~= "table" or next(answers) == nil then
    return
  end
  for _, wish in ipairs(wishes) do
    local is_answered = type(wish) ~= "table" or wish.name == nil
    for _, answer in ipairs(answers) do
      local of = type(answer) == "table" and (below and answer[below] or answer) or {}
      if not is_answered and type(of) == "table" and of.name == wish.name then
        is_answered = true
        for _, key in ipairs({ "namespace", "sectionName", "port" }) do
          if of[key] ~= nil and wish[key] ~= nil and of[key] ~= wish[key] then
            is_answered = false
          end
        end
      end
    end
    if not is_answered then
      say("Progressing", tostring(wish.name) .. " has no answer yet")
    end
  end
end

local function rests(spec, metadata)
  for _, key in ipairs(switches) do
    if spec[key] == true then
      return "spec." .. key
    end
  end
  for _, key in ipairs(strategies) do
    local part = type(spec[key]) == "table" and spec[key] or {}
    if part.paused == true or (type(part.rollingUpdate) == "table" and part.rollingUpdate.paused == true) then
      return "spec." .. key
    end
  end
  if spec.enabled == false then
    return "spec.enabled"
  end
  for _, resting in ipairs(restings) do
    local found = at(resting.path)
    if found ~= nil and whole(flat(scalar(found))) == whole(flat(resting.value)) then
      return table.concat(resting.path, ".")
    end
  end
  for key, value in pairs(type(metadata.annotations) == "table" and metadata.annotations or {}) do
    local is_asked = type(value) == "string" and (value == "" or asked[whole(flat(value)) or ""])
    if is_asked and has(flat(key, 300), at_rest_or_reconciled) then
      return key
    end
  end
  return nil
end

local metadata = type(obj.metadata) == "table" and obj.metadata or {}
local spec = type(obj.spec) == "table" and obj.spec or {}
local status = type(obj.status) == "table" and obj.status or {}
if not is_empty(metadata.deletionTimestamp) then
  return { status = "Progressing", message = "It is being deleted" }
end
local resting = rests(spec, metadata)
if resting ~= nil then
  return { status = "Suspended", message = resting .. " asks it to rest" }
end
if always ~= nil then
  return { status = always, message = "" }
end
local is_silent = true
for _, value in pairs(status) do
  is_silent = is_silent and is_empty(value)
end
if is_silent then
  return { status = silent, message = "It has no status" }
end
if is_old(status.observedGeneration) then
  return { status = "Progressing", message = "The status is about an older generation" }
end
if not is_blind and type(status.conditions) == "table" then
  judge_all(status.conditions, true)
end
for _, wording in ipairs(wordings) do
  local word = at(wording.path)
  if word ~= nil and not wording.ignored[scalar(word)] then
    local health = wording.words[scalar(word)] or wording.other
    if health == "Healthy" then
      is_told, is_told_at_top = true, true
    elseif health ~= nil then
      say(health, table.concat(wording.path, ".") .. " is " .. scalar(word))
    end
  end
end
for key, value in pairs(status) do
  if type(value) == "string" and not declared_fields[key] then
    state(key, value, true)
  end
end
if type(status.reason) == "string" and breaks(status.reason) then
  say("Degraded", status.reason)
end
if type(status.message) == "string" then
  local begins = after(flat(table.concat(letters(status.message, 8, true))) or {}, { fail = true, error = true })
  if next(begins) ~= nil then
    say("Progressing", status.message)
  end
end
facts(status, true)
if has_nested then
  walk(status, 0)
end
if has_items then
  glance(status, 0)
end
count(status, spec)
fractions(status, 0)
answered(spec.listeners, status.listeners, nil)
answered(spec.parentRefs, status.parents, "parentRef")
for _, reaching in ipairs(reachings) do
  local have, want = tonumber(at(reaching.have)) or 0, tonumber(at(reaching.want))
  if want ~= nil and have < want then
    say(reaching.short, table.concat(reaching.have, ".") .. " is " .. have .. " of " .. want)
  end
end
if worst == "Healthy" and next(required) ~= nil and not is_required_there then
  return { status = "Progressing", message = "The condition that speaks for it is missing" }
end
if worst == "Healthy" and (not is_told or (is_silent_below and not is_told_at_top)) then
  return { status = "Progressing", message = "Nothing says yet how it is" }
end
return { status = worst, message = message }
