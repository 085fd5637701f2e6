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

-- Whether a text may speak of something broken.
local function hurts(text)
  return type(text) == "string" and text ~= "" and has(flat(text), hurt)
end

-- Whether a message begins with a failure; one that begins with letters that are not plain may.
local function begins_badly(message)
  local chars = type(message) == "string" and letters(message, 24, true) or {}
  local small = {}
  for _, char in ipairs(chars) do
    if char == "~" then
      return true
    end
    small[#small + 1] = small_letters[char]
  end
  return next(after(small, beginnings)) ~= nil
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
    if type(condition) == "table" and next(condition) ~= nil then
      say("Unknown", "A condition has no type")
    end
    return false
  end
  local name, status, reason = condition.type, condition.status, condition.reason
  local text = name .. ": " .. tostring(reason or "") .. " " .. tostring(condition.message or "")
  if type(status) == "boolean" then
    status = scalar(status)
  end
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
  if meaning ~= nil and meaning.sort == "mentions" then
    if status ~= nil and status ~= "True" and status ~= "Unknown" and (status ~= "False" or breaks(reason)) then
      say("Degraded", text)
    end
    return false
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
    if breaks(reason) or hurts(reason) then
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
    if (meaning.good == "True" and breaks(reason)) or (meaning.good == "False" and begins_badly(condition.message)) then
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
  if small == nil then
    say("Unknown", key .. " cannot be read")
    return
  end
  local is_denied = next(after(small, flag_denials)) ~= nil
  local is_good = good_flags[name] or ends(small, good_flag_ends) or next(after(small, good_flag_starts)) ~= nil
  if is_good and not is_denied then
    if is_true then
      is_told = is_told or is_top
    elseif is_top or key ~= "active" then
      say("Progressing", key .. " is false")
    end
  elseif not is_true then
    if steps_by_flag[name] then
      say("Progressing", key .. " is false")
    end
  elseif resting_flags[name] then
    if is_top then
      say("Suspended", key .. " is true")
    end
  else
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
        if is_error and value ~= true and type(value) ~= "number" and not (type(value) == "string" and no_error[whole(flat(value))]) then
          say("Degraded", key .. ": " .. tostring(value))
        elseif type(value) == "number" and value > 0 and error_counters[whole(small)] then
          say("Degraded", key .. " is " .. value)
        elseif type(value) == "table" and (is_top or value[1] ~= nil) and next(after(small or {}, failures)) ~= nil then
          say("Degraded", key .. " is not empty")
        end
      end
    end
  end
end

-- Below the top, words at rest say nothing, and only a failure does in a field of another name than the usual ones.
local function state(key, value, is_top, above)
  local small = flat(key)
  local is_usual = small ~= nil and state_keys[whole(small)]
  if value == "" or (small ~= nil and not is_usual and not ends(small, state_ends)) then
    return
  end
  if small ~= nil and not is_usual and next(after(small, other_times)) ~= nil then
    return
  end
  local word = whole(flat(value))
  local is_of_a_run = has(small, runs) or (above ~= nil and has(flat(above), runs))
  if not is_top and not is_usual then
    if word == nil or bad_words[word] or has(flat(value), hurt) or ends(flat(value), apart) then
      say("Degraded", key .. " is " .. value)
    end
  elseif word ~= nil and good_words[word] and not (run_words[word] and is_of_a_run) then
    if is_top and is_usual then
      is_told, is_told_at_top = true, true
    end
  elseif word ~= nil and resting_words[word] then
    if is_top then
      say("Suspended", key .. " is " .. value)
    end
  elseif word == nil or not neutral_words[word] then
    say(bad_words[word] and is_usual and "Degraded" or "Progressing", key .. " is " .. value)
  end
end

-- A good word about a step is none of the whole, unless the step itself is the end.
local function stepwise(status)
  for key, value in pairs(status) do
    local step = type(key) == "string" and flat(key) ~= nil and steps[whole(flat(key))]
    for other, name in pairs(step and status or {}) do
      local is_step = type(other) == "string" and type(name) == "string" and whole(flat(other)) == step
      local word = is_step and whole(flat(name))
      if is_step and not (word ~= nil and good_words[word] and not run_words[word]) then
        say("Progressing", key .. " is of " .. name)
      end
    end
  end
end

local function glance(part, depth, above)
  for key, value in pairs(part) do
    local name = type(key) == "string" and key or above
    local small = name ~= nil and flat(name) or nil
    if type(value) == "table" and not (type(key) == "string" and small ~= nil and has(small, skipped)) then
      if not (value.type ~= nil and value.lastTransitionTime ~= nil) then
        local is_map_of_states, is_all_words = small ~= nil and ends(small, maps_of_states), true
        for _, word in pairs(value) do
          is_all_words = is_all_words and type(word) == "string"
        end
        for inner, word in pairs(value) do
          if type(inner) == "string" and type(word) == "string" then
            state(inner, word, false, name)
            if (is_map_of_states or is_all_words) and bad_words[whole(flat(word)) or ""] then
              say("Degraded", inner .. " is " .. word)
            end
          end
        end
        facts(value, false)
      end
      if depth < 8 then
        glance(value, depth + 1, name)
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

local function is_lack(small)
  for _, noun in pairs(after(small, lacks)) do
    if counted[noun] or next(after(flat(noun), counted_one)) ~= nil then
      return true
    end
  end
  return false
end

-- What a list of the spec asks for: `availableNodes` against `nodeSets[].count`.
local function summed(spec, noun, found)
  local small = flat(noun)
  local stem = small ~= nil and #small > 1 and small[#small] == "s" and table.concat(small, "", 1, #small - 1) or nil
  for key, list in pairs(stem and spec or {}) do
    local name = type(key) == "string" and type(list) == "table" and flat(key) or {}
    if next(after(name, { [stem] = true })) ~= nil then
      local sum = 0
      for _, item in pairs(list) do
        for _, size in ipairs(item_sizes) do
          sum = sum + (type(item) == "table" and type(item[size]) ~= "table" and tonumber(item[size]) or 0)
        end
      end
      if found < sum then
        say("Progressing", noun .. " are " .. found .. " of " .. sum)
      end
    end
  end
end

local function count(status, spec)
  local have, wish = numbers(status), numbers(spec)
  for name, number in pairs(have) do
    local small = flat(name)
    if number > 0 and is_lack(small) then
      say("Progressing", name .. " is " .. number)
    end
    local nouns = after(small, havings)
    for noun in pairs(counted) do
      for last in pairs(having_ends) do
        if name == noun .. last then
          nouns[last] = noun
        end
      end
    end
    for word, noun in pairs(nouns) do
      noun = noun == "" and "replicas" or noun
      if word ~= "available" or counted[noun] then
        local wants = { wish[noun], have["desired" .. noun], have["expected" .. noun], have["total" .. noun], have[noun] }
        for _, size in ipairs(sized[noun] and sizes or {}) do
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
        summed(spec, noun, number)
      end
    end
  end
end

-- "2/3" and "60%".
local function share(key, value)
  local small = flat(key)
  local have, want, slashes, percents = "", "", 0, 0
  for _, char in ipairs(letters(value, 20, true)) do
    if char == "/" then
      slashes = slashes + 1
    elseif char == "%" then
      percents = percents + 1
    elseif slashes == 0 and char ~= " " then
      have = have .. char
    elseif char == " " and want ~= "" then
      break
    elseif char ~= " " then
      want = want .. char
    end
  end
  have, want = tonumber(have), tonumber(want)
  if slashes > 0 and have ~= nil and want ~= nil and have < want and has(small, fraction_names) then
    say("Progressing", key .. " is " .. value)
  elseif slashes == 0 and percents == 1 and have ~= nil and have < 100 and has(small, percentages) then
    if next(after(small or {}, limits)) == nil then
      say("Progressing", key .. " is " .. value)
    end
  end
end

-- In one part, of which both numbers must be named: `{ ready: 1, size: 3 }`, `{ observedGeneration: 1, generation: 2 }`.
local function short(part, is_top)
  local have = numbers(part)
  for name, number in pairs(have) do
    for word, noun in pairs(is_top and {} or after(flat(name), { ready = true, healthy = true, available = true })) do
      local wants = { have["desired" .. noun], have["expected" .. noun], have["total" .. noun], have[noun] }
      if noun == "" then
        wants = { have.size, have.total, have.desired, have.expected, have.replicas, have.desiredreplicas, have.desiredready }
      end
      for _, want in pairs((word ~= "available" or counted[noun]) and wants or {}) do
        if number < want then
          say("Progressing", name .. " is " .. number .. " of " .. want)
        end
      end
    end
    if ends(flat(name), { generation = true }) and not (is_top and name == "observedgeneration") then
      local chars, of = flat(name), nil
      for first = 1, #chars - 7 do
        if table.concat(chars, "", first, first + 7) == "observed" then
          of = table.concat(chars, "", 1, first - 1) .. table.concat(chars, "", first + 8)
          break
        end
      end
      for _, before in ipairs(of and generations or {}) do
        local want = have[before .. of]
        for key, value in pairs(is_top and type(obj.metadata.annotations) == "table" and obj.metadata.annotations or {}) do
          local small = flat(key, 300)
          if small == nil or ends(small, { [before .. of] = true }) then
            want = want or tonumber(value)
          end
        end
        if want ~= nil and number < want then
          say("Progressing", name .. " is " .. number .. " of " .. want)
        end
      end
    end
  end
end

-- One of several that count the generations of the object is late.
local function late(parts)
  local is_counted, is_late = false, false
  for _, part in ipairs(parts) do
    local observed = type(part) == "table" and type(part.observedGeneration) ~= "table" and tonumber(part.observedGeneration) or nil
    is_counted = is_counted or (observed ~= nil and observed == generation)
    is_late = is_late or is_old(observed)
  end
  if is_counted and is_late then
    say("Progressing", "A part is about an older generation")
  end
end

local function shares(part, depth)
  short(part, depth == 0)
  late(part)
  for key, value in pairs(part) do
    local small = type(key) == "string" and flat(key) or nil
    if type(value) == "string" and type(key) == "string" then
      share(key, value)
    elseif type(value) == "number" and type(key) == "string" then
      local is_share = has(small, { percent = true }) and has(small, percentages) and next(after(small or {}, limits)) == nil
      if is_share and value >= 0 and value < 100 then
        say("Progressing", key .. " is " .. value)
      end
    elseif type(value) == "table" and depth < 6 and not (small ~= nil and has(small, skipped)) then
      shares(value, depth + 1)
    end
  end
end

-- One that has no conditions, where others have.
local function heard(list)
  local speaks, is_silent = false, false
  for _, one in ipairs(type(list) == "table" and list or {}) do
    local has_some = type(one) == "table" and not is_empty(one.conditions)
    speaks, is_silent = speaks or has_some, is_silent or not has_some
  end
  if speaks and is_silent then
    say("Progressing", "One has no conditions yet, where others have")
  end
end

-- A label or an annotation that tells of a failure.
local function noted(metadata)
  for _, part in ipairs({ "labels", "annotations" }) do
    for key, value in pairs(type(metadata[part]) == "table" and metadata[part] or {}) do
      local word = type(value) == "string" and whole(flat(value)) or nil
      if word ~= nil and noted_words[word] then
        local small = flat(key, 300)
        if small == nil or ends(small, note_ends) then
          return key .. " is " .. value
        end
      end
    end
  end
  return nil
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
local note = noted(metadata)
if note ~= nil then
  return { status = "Degraded", message = note }
end
if is_old(status.observedGeneration) then
  return { status = "Progressing", message = "The status is about an older generation" }
end
if type(status.lastScheduleTime) == "string" and type(status.lastSuccessfulTime) == "string" then
  if status.lastScheduleTime > status.lastSuccessfulTime and is_empty(status.active) then
    return { status = "Degraded", message = "The last run has not succeeded" }
  end
end
if always ~= nil then
  return { status = always, message = "" }
end
local is_silent = true
for _, value in pairs(status) do
  is_silent = is_silent and is_empty(value)
end
if is_silent then
  for key, value in pairs(obj) do
    if obj.status == nil and not is_empty(value) and type(key) == "string" and ends(flat(key), { conditions = true }) then
      return { status = "Progressing", message = "It has its conditions beside the spec" }
    end
  end
  return { status = silent, message = "It has no status" }
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
    state(key, value, true, nil)
  end
end
stepwise(status)
if hurts(status.reason) then
  say("Degraded", status.reason)
end
if begins_badly(status.message) then
  say("Progressing", status.message)
end
facts(status, true)
if has_nested then
  walk(status, 0)
end
if has_items then
  glance(status, 0, nil)
end
count(status, spec)
shares(status, 0)
for _, list in ipairs({ "listeners", "parents", "ancestors" }) do
  heard(status[list])
end
answered(spec.listeners, status.listeners, nil)
answered(spec.parentRefs, status.parents, "parentRef")
for _, reaching in ipairs(reachings) do
  local have, want = tonumber(at(reaching.have)) or 0, tonumber(at(reaching.want))
  if want ~= nil and have < want then
    say(reaching.short, table.concat(reaching.have, ".") .. " is " .. have .. " of " .. want)
  end
end
if spec.forProvider ~= nil and next(required) == nil then
  required = { Ready = true }
  is_required_there = false
  for _, condition in ipairs(type(status.conditions) == "table" and status.conditions or {}) do
    is_required_there = is_required_there or (type(condition) == "table" and condition.type == "Ready")
  end
end
if worst == "Healthy" and next(required) ~= nil and not is_required_there then
  return { status = "Progressing", message = "The condition that speaks for it is missing" }
end
if worst == "Healthy" and (not is_told or (is_silent_below and not is_told_at_top)) then
  return { status = "Progressing", message = "Nothing says yet how it is" }
end
return { status = worst, message = message }
