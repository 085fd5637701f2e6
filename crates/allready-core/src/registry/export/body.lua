local rank = { Healthy = 1, Suspended = 2, Progressing = 3, Unknown = 4, Missing = 5, Degraded = 6 }
local worst, message, is_told = "Healthy", "", false

local function say(health, text)
  if rank[health] > rank[worst] then
    worst, message = health, text
  end
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

local function meaning_of(name)
  if conditions[name] ~= nil then
    return conditions[name]
  end
  for _, pattern in ipairs(patterns) do
    if string.match(name, pattern.match) then
      return pattern
    end
  end
  return nil
end

local generation = obj.metadata ~= nil and tonumber(obj.metadata.generation) or nil
local function is_old(observed)
  observed = tonumber(observed)
  return generation ~= nil and observed ~= nil and observed < generation
end

local function judge(condition)
  if type(condition) ~= "table" or type(condition.type) ~= "string" then
    return
  end
  local name, status = condition.type, condition.status
  local text = name .. ": " .. tostring(condition.reason or "") .. " " .. tostring(condition.message or "")
  if activities[name] and status == "True" then
    say("Progressing", text)
    return
  end
  if suspensions[name] and status == "True" then
    say("Suspended", text)
    return
  end
  local meaning = meaning_of(name)
  if meaning == nil then
    return
  end
  if status == meaning.good then
    if is_old(condition.observedGeneration) then
      say("Progressing", name .. " is about an older generation")
    elseif meaning.speaks then
      is_told = true
    end
  elseif status == meaning.broken then
    say(meaning.reasons[condition.reason or ""] or meaning.bad, text)
  else
    say(meaning.unknown, text)
  end
end

local function walk(part, depth)
  if type(part) ~= "table" or depth > 6 then
    return
  end
  for key, value in pairs(part) do
    if key == "conditions" and type(value) == "table" then
      for _, condition in ipairs(value) do
        judge(condition)
      end
    elseif has_nested and type(value) == "table" then
      walk(value, depth + 1)
    end
  end
end

-- What fields that nobody declared say, where it is bad news in any language.
local function glance(part, depth, is_top)
  for key, value in pairs(part) do
    if type(value) == "string" and state_fields[key] and not (is_top and declared_fields[key]) then
      local word = string.gsub(string.lower(value), "[^a-z]", "")
      local is_condition = key == "status" and part.type ~= nil
      if not is_condition and broken_words[word] then
        say("Degraded", key .. " is " .. value)
      elseif not is_condition and (waiting_words[word] or (string.match(word, "ing$") and word ~= "running")) then
        say("Progressing", key .. " is " .. value)
      end
    elseif type(value) == "table" and has_items and depth < 3 and key ~= "conditions" then
      glance(value, depth + 1, false)
    end
  end
end

if obj.metadata ~= nil and obj.metadata.deletionTimestamp ~= nil then
  return { status = "Progressing", message = "It is being deleted" }
end
if type(obj.status) == "table" then
  if is_old(obj.status.observedGeneration) then
    say("Progressing", "The status is about an older generation")
  end
  walk(obj.status, 0)
  glance(obj.status, 0, true)
end
for _, wording in ipairs(wordings) do
  local word = at(wording.path)
  if word ~= nil and word ~= "" and not wording.ignored[tostring(word)] then
    local health = wording.words[tostring(word)] or wording.other
    if health == "Healthy" then
      is_told = true
    elseif health ~= nil then
      say(health, table.concat(wording.path, ".") .. " is " .. tostring(word))
    end
  end
end
for _, reaching in ipairs(reachings) do
  local have, want = tonumber(at(reaching.have)) or 0, tonumber(at(reaching.want))
  if want ~= nil and have < want then
    say(reaching.short, table.concat(reaching.have, ".") .. " is " .. have .. " of " .. want)
  end
end
for _, resting in ipairs(restings) do
  if tostring(at(resting.path)) == resting.value and worst ~= "Degraded" then
    return { status = "Suspended", message = table.concat(resting.path, ".") .. " is " .. resting.value }
  end
end
local spec = type(obj.spec) == "table" and obj.spec or {}
if worst ~= "Degraded" and (spec.paused == true or spec.suspend == true or spec.suspended == true) then
  return { status = "Suspended", message = "It is paused" }
end
if worst == "Healthy" and not is_told then
  return { status = "Progressing", message = "Nothing says yet how it is" }
end
return { status = worst, message = message }
