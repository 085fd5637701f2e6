// The live view of allready. Everything that comes from a cluster is text: it is only ever given to textContent.
'use strict';

const HEALTH = {
  Degraded: { glyph: '✗', rank: 5, says: 'something is broken' },
  Missing: { glyph: '∅', rank: 4, says: 'it should be there and is not' },
  Unknown: { glyph: '?', rank: 3, says: 'its health cannot be determined' },
  Progressing: { glyph: '…', rank: 2, says: 'it is on its way' },
  Suspended: { glyph: '‖', rank: 1, says: 'paused or scaled to zero on purpose' },
  Healthy: { glyph: '✓', rank: 0, says: 'something says that it is as it should be' },
};
const WORST_FIRST = Object.keys(HEALTH);
const $ = (id) => document.getElementById(id);

const state = {
  sources: [], source: null, page: null, skew: 0, stream: null,
  filter: '', object: null, terms: [], detail: null,
};

// --- Elements -------------------------------------------------------------------------------------------------------

function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (key === 'class') element.className = value;
    else if (key === 'text') element.textContent = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Keeps the elements of items that stay, so that focus, scrolling and what is open stay too.
function keyed(parent, items, key, make, fill) {
  const wanted = new Map(), times = new Map();
  for (const item of items) {
    const name = key(item), time = (times.get(name) || 0) + 1;
    times.set(name, time);
    // Keys may repeat; names of elements do not.
    wanted.set(time > 1 ? name + '\n' + time : name, item);
  }
  // Removed first: an element that has to be moved loses the focus.
  const kept = new Map();
  for (const child of [...parent.children]) {
    if (wanted.has(child.dataset.key)) kept.set(child.dataset.key, child);
    else child.remove();
  }
  const focused = document.activeElement;
  let place = parent.firstElementChild;
  for (const [name, item] of wanted) {
    let element = kept.get(name);
    if (!element) {
      element = make(item);
      element.dataset.key = name;
    }
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
    fill(element, item);
  }
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}

function mark(health, seen = true) {
  const known = HEALTH[health];
  const name = !known ? 'Warning' : seen ? health : 'NotSeen';
  const glyph = !known ? '!' : seen ? known.glyph : '?';
  return el('span', { class: 'mark h-' + (known && seen ? health : 'Unknown'), role: 'img', 'aria-label': name, text: glyph });
}

// The server knows the plural: '5 Analyses'.
function count(number, one, many) {
  return number.toLocaleString('en-US') + ' ' + (number === 1 ? one : many);
}

function andMore(number, many = '') {
  return 'and ' + number.toLocaleString('en-US') + ' more' + many;
}

function omitted(element, number, one, many) {
  element.hidden = !number;
  put(element, andMore(number, ' ' + (number === 1 ? one : many) + ', not shown'));
}

function pluralOf(kind) {
  const known = state.page && state.page.kinds.find((row) => row.kind === kind);
  return known ? known.many : kind + ' objects';
}

function age(since) {
  const seconds = Math.max(0, Math.floor((Date.now() + state.skew - Date.parse(since)) / 1000));
  if (seconds < 120) return seconds + 's';
  if (seconds < 10800) return Math.floor(seconds / 60) + 'm';
  if (seconds < 172800) return Math.floor(seconds / 3600) + 'h';
  return Math.floor(seconds / 86400) + 'd';
}

function aged(since, before = '') {
  if (!since) return null;
  return el('time', { datetime: since, 'data-since': since, 'data-before': before, title: since, text: before + age(since) });
}

function title(object) {
  return (object.kind ? object.kind + ' ' : '') + (object.namespace ? object.namespace + '/' : '') + object.name;
}

function link(object, text) {
  return el('a', { href: address({ object }), text: text === undefined ? title(object) : text });
}

function same(a, b) {
  return a && b && a.group === b.group && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function id(object) {
  return [object.group, object.kind, object.namespace, object.name].join('/');
}

// --- The address: what is shown can be shared -----------------------------------------------------------------------

function address(change) {
  const to = { source: state.source, filter: state.filter, object: null, ...change };
  const words = new URLSearchParams();
  if (to.source && state.sources.length > 1) words.set('s', to.source);
  if (to.filter) words.set('q', to.filter);
  if (to.object) {
    words.set('k', to.object.kind + (to.object.group ? '.' + to.object.group : ''));
    if (to.object.namespace) words.set('ns', to.object.namespace);
    words.set('o', to.object.name);
  }
  return '#' + words.toString();
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const wanted = words.get('s');
  const found = state.sources.find((source) => !wanted || source.name === wanted);
  const source = found ? found.name : null;
  state.filter = words.get('q') || '';
  if ($('filter') !== document.activeElement) $('filter').value = state.filter;
  state.terms = parse(state.filter);
  const kind = words.get('k') || '';
  const dot = kind.indexOf('.');
  const before = state.object;
  state.object = source && words.get('o') ? {
    kind: dot < 0 ? kind : kind.slice(0, dot), group: dot < 0 ? '' : kind.slice(dot + 1),
    namespace: words.get('ns') || '', name: words.get('o'),
  } : null;
  if (source !== state.source) {
    state.source = source;
    follow();
  }
  // Another cluster in its place would be taken for it.
  if (!source && state.sources.length) {
    state.page = empty('There is no cluster ' + wanted + ' here');
    connected('nowhere', 'no such cluster');
  }
  if (!same(before, state.object)) {
    state.detail = null;
    $('tip').hidden = true;
    scrollTo(0, 0);
    if (state.object) look(true);
  }
  draw();
  show();
  if (!same(before, state.object) && Boolean(before || state.object)) {
    // What is hidden cannot have the focus.
    if (state.object) focusOn($('o-name'));
    else if (before) focusOn($('main'));
  }
}

function focusOn(element) {
  element.setAttribute('tabindex', '-1');
  element.focus({ preventScroll: true });
}

// --- Filters: the words of allready watch ---------------------------------------------------------------------------

function parse(text) {
  const fields = { health: 'health', h: 'health', kind: 'kind', k: 'kind', namespace: 'namespace', ns: 'namespace',
    n: 'namespace', name: 'name', reason: 'reason', r: 'reason' };
  const terms = [];
  for (let word of text.split(/\s+/)) {
    const negated = word.startsWith('!');
    if (negated) word = word.slice(1);
    const colon = word.indexOf(':');
    const field = colon > 0 ? fields[word.slice(0, colon)] : undefined;
    const wanted = (field ? word.slice(colon + 1) : word).toLowerCase();
    if (wanted) terms.push({ negated, field, wanted });
  }
  return terms;
}

function matches(subject) {
  return state.terms.every(({ negated, field, wanted }) => {
    const text = (name) => String(subject[name] || '').toLowerCase();
    let holds;
    if (!field) holds = ['kind', 'name', 'namespace', 'reason'].some((name) => text(name).includes(wanted));
    else if (field === 'health') holds = text('health').startsWith(wanted);
    else if (field === 'kind') holds = text('kind') === wanted || pluralOf(subject.kind).toLowerCase() === wanted;
    else if (field === 'namespace') holds = text('namespace').split(', ').includes(wanted);
    else holds = text(field).includes(wanted);
    return holds !== negated;
  });
}

// --- The stream -----------------------------------------------------------------------------------------------------

async function begin() {
  for (;;) {
    try {
      const answer = await fetch('/api/sources');
      if (answer.status === 401) {
        signIn();
        return;
      }
      if (!answer.ok) throw new Error(answer.statusText);
      state.sources = await answer.json();
      if (state.sources.length) break;
      connected('waiting', 'waiting for a cluster');
    } catch {
      connected('lost', 'no connection');
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
  offer(state.sources);
  readAddress();
  try {
    const viewer = await (await fetch('/api/viewer')).json();
    $('sign-out').hidden = !viewer.signsIn;
    $('sign-out').title = viewer.user || '';
  } catch { /* The stream says that the connection is lost. */ }
}

// Nothing is known of the cluster before the server knows who asks.
function signIn() {
  connected('lost', 'not signed in');
  $('sign-out').hidden = true;
  if (!$('login').open) $('login').showModal();
}

function send(path, data) {
  return fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(data) });
}

async function useToken(event) {
  event.preventDefault();
  let problem = 'no connection';
  try {
    const answer = await send('/api/login', { token: $('token').value });
    problem = answer.ok ? '' : answer.status === 401 ? 'The cluster does not know this token.' : await answer.text();
  } catch { /* As said above. */ }
  put($('login-problem'), problem);
  if (problem) return;
  $('token').value = '';
  $('login').close();
  begin();
}

async function signOut() {
  try { await send('/api/logout', {}); } catch { /* The session ends by itself. */ }
  // Nothing of what was seen stays in the page.
  location.reload();
}

function offer(sources) {
  state.sources = sources;
  $('source').replaceChildren(...sources.map((source) => el('option', { value: source.name, text: source.title })));
  $('source').value = state.source;
  $('pick').hidden = sources.length < 2;
}

// Nothing but a sentence.
function empty(sentence) {
  const summary = { health: null, sentence, counts: '', coverage: '', isComplete: false, moreCauses: 0, moreGateways: 0, moreKinds: 0 };
  return { summary, causes: [], maps: [], gateways: [], kinds: [], timeline: [] };
}

// Tells why a stream is refused, which an EventSource does not.
async function refusal(url) {
  const stop = new AbortController();
  try {
    const answer = await fetch(url, { signal: stop.signal });
    if (!answer.ok) return (await answer.text()).trim();
  } catch { /* There is no connection. */ } finally { stop.abort(); }
  return 'no connection';
}

function follow() {
  if (state.stream) {
    state.stream.close();
    state.stream = null;
    // What is shown is of another cluster until the first event.
    connected('waiting', 'connecting');
  }
  state.page = null;
  state.detail = null;
  $('source').value = state.source;
  if (!state.source) {
    put($('scope'), '');
    return;
  }
  const source = state.sources.find((known) => known.name === state.source);
  put($('scope'), state.sources.length < 2 ? source.title + ', ' + source.scope : source.scope);
  const url = '/api/' + encodeURIComponent(state.source) + '/events';
  const stream = new EventSource(url);
  state.stream = stream;
  stream.addEventListener('page', (event) => {
    const whole = JSON.parse(event.data);
    state.skew = Date.parse(whole.now) - Date.now();
    state.page = whole.page;
    connected('live', 'live');
    draw();
    if (state.object) look();
  });
  stream.addEventListener('delta', (event) => {
    if (!state.page) return;
    apply(JSON.parse(event.data));
  });
  const again = async () => {
    if (state.stream !== stream) return;
    const isRefused = stream.readyState === EventSource.CLOSED;
    stream.close();
    state.stream = null;
    state.source = null;
    const why = isRefused ? await refusal(url) : 'no connection';
    if (state.stream) return;
    connected('lost', why);
    setTimeout(begin, 1000);
  };
  stream.addEventListener('end', again);
  stream.addEventListener('error', again);
}

function connected(kind, text) {
  $('live').className = 'live ' + kind;
  put($('live-text'), text);
  // What may be out of date must not look as if it were not.
  document.body.classList.toggle('stale', kind === 'waiting' || kind === 'lost');
  if (kind !== 'live') document.title = text + ' · allready';
}

function apply(delta) {
  const page = state.page;
  for (const part of ['summary', 'causes', 'gateways', 'kinds', 'maps', 'timeline']) {
    if (delta[part] !== undefined) page[part] = delta[part];
  }
  for (const [map, cell, now] of delta.cells || []) page.maps[map].cells[cell] = now;
  if (delta.changes) page.timeline = delta.changes.concat(page.timeline).slice(0, 200);
  draw();
  // Of what somebody looks at, the tree may be another one now.
  if (state.object && (delta.causes || delta.changes || delta.summary)) look();
}

// --- Drawing --------------------------------------------------------------------------------------------------------

let pending = false;
function draw() {
  if (pending) return;
  pending = true;
  // Not with the next frame: a page that nobody sees has none, and is up to date all the same.
  queueMicrotask(() => {
    pending = false;
    show();
    if (state.object) drawObject();
    else drawOverview();
  });
}

function show() {
  $('overview').hidden = Boolean(state.object);
  $('object').hidden = !state.object;
}

function drawOverview() {
  const page = state.page;
  if (!page) return;
  const { summary } = page;
  put($('sentence'), summary.sentence);
  if (summary.object) $('sentence').setAttribute('href', address({ object: summary.object }));
  else $('sentence').removeAttribute('href');
  hero($('hero'), $('hero-glyph'), summary.health);
  put($('counts'), summary.counts);
  put($('coverage'), summary.coverage);
  $('coverage').className = summary.hasGaps ? 'gap' : '';
  document.title = (summary.health ? HEALTH[summary.health].glyph + ' ' : '') + summary.sentence.slice(0, 80) + ' · allready';
  drawCauses(page);
  drawMaps(page);
  drawGateways(page);
  drawTime($('time'), page.timeline.filter((change) => matches({ ...change.object, reason: change.reason, health: change.to || '' })), true);
  $('no-time').hidden = page.timeline.length > 0;
  put($('n-time'), page.timeline.length ? String(page.timeline.length) : '');
  drawKinds(page);
  $('found').hidden = !state.filter;
  if (state.filter) search();
}

function hero(element, glyph, health) {
  element.className = 'hero ' + (health ? 'h-' + health : 'h-None');
  put(glyph, health ? HEALTH[health].glyph : '·');
}

function drawCauses(page) {
  const shown = page.causes.filter((cause) => matches({
    kind: cause.affects, name: cause.affects, namespace: cause.namespaces, reason: cause.text, health: cause.health,
  }) || cause.objects.some((object) => matches({ ...object, reason: cause.text, health: cause.health })));
  keyed($('causes'), shown, (cause) => cause.text, () => {
    const item = el('li', { class: 'cause' });
    const details = el('details', {}, el('summary', {}), el('div', { class: 'affected' }));
    item.append(el('span', { class: 'sign' }), el('div', { class: 'what' }, el('a', { class: 'text' }), el('p', { class: 'meta' }), details));
    return item;
  }, (item, cause) => {
    const json = JSON.stringify(cause);
    if (item.saved === json && item.base === address({})) return;
    item.saved = json;
    item.base = address({});
    item.className = 'cause h-' + cause.health;
    item.querySelector('.sign').replaceChildren(mark(cause.health));
    const text = item.querySelector('.text');
    put(text, cause.text);
    if (cause.next) text.setAttribute('href', address({ object: cause.next }));
    const meta = [el('span', { class: 'affects', text: cause.affects })];
    if (cause.namespaces) meta.push(el('span', { text: 'in ' + cause.namespaces }));
    if (cause.since) meta.push(aged(cause.since, 'since '));
    if (cause.writer) meta.push(el('span', { text: 'said by ' + cause.writer }));
    item.querySelector('.meta').replaceChildren(...meta);
    put(item.querySelector('summary'), count(cause.count, 'object', 'objects'));
    const more = cause.count - cause.objects.length;
    item.querySelector('.affected').replaceChildren(...cause.objects.map((object) => link(object)),
      ...(more > 0 ? [el('span', { text: andMore(more) })] : []));
    item.querySelector('details').hidden = cause.count < 2;
  });
  const more = page.summary.moreCauses;
  omitted($('more-causes'), more, 'cause', 'causes');
  put($('n-causes'), shown.length + more ? String(shown.length + more) : '');
  $('no-causes').hidden = shown.length > 0;
  put($('no-causes'), state.filter ? 'No cause matches the filter.' : page.summary.isComplete ? 'No problems found.' : 'None so far.');
}

function tally(cells) {
  const counts = {};
  for (const cell of cells) counts[cell.h] = (counts[cell.h] || 0) + 1;
  return WORST_FIRST.filter((health) => counts[health]).map((health) => [health, counts[health]]);
}

const maps = new Map();

function drawMaps(page) {
  keyed($('maps'), page.maps, (map) => map.title, (map) => {
    const heading = 'h-map-' + map.title;
    const canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': 'heat map' });
    const section = el('section', { class: 'card map', 'aria-labelledby': heading },
      el('h2', { id: heading }, map.title + ' ', el('span', { class: 'count' })),
      el('p', { class: 'trouble' }), el('div', { class: 'grid' }, canvas), el('p', { class: 'focus', 'aria-live': 'polite' }));
    maps.set(section, new HeatMap(canvas, section));
    return section;
  }, (section, map) => maps.get(section).show(map));
  for (const section of maps.keys()) if (!section.isConnected) maps.delete(section);
}

// One cell for each node: shape and colour say the same.
class HeatMap {
  constructor(canvas, section) {
    this.canvas = canvas;
    this.section = section;
    this.focus = -1;
    this.hover = -1;
    this.map = { cells: [] };
    canvas.addEventListener('keydown', (event) => this.press(event));
    canvas.addEventListener('focus', () => this.move(this.focus < 0 ? this.next(-1, 1, true) : this.focus));
    canvas.addEventListener('blur', () => { this.paint(); put(this.section.querySelector('.focus'), ''); });
    canvas.addEventListener('pointermove', (event) => this.point(event));
    canvas.addEventListener('pointerleave', () => { this.hover = -1; $('tip').hidden = true; });
    canvas.addEventListener('click', (event) => {
      const cell = this.map.cells[this.at(event)];
      if (cell) location.hash = address({ object: cell.o });
    });
    new ResizeObserver(() => this.layout()).observe(canvas.parentElement);
  }

  show(map) {
    const { cells } = map;
    this.map = map;
    const told = tally(cells).map(([health, number]) => number.toLocaleString('en-US') + ' ' + health.toLowerCase());
    const text = count(cells.length + map.more, map.one, map.many) + ': ' + told.join(', ') + (map.more ? '; ' + map.more + ' not shown' : '');
    put(this.section.querySelector('.count'), text);
    this.canvas.setAttribute('aria-label', map.title + ', ' + text + '. Arrow keys move, n goes to the next unhealthy one, Enter opens.');
    const trouble = cells.filter((cell) => HEALTH[cell.h].rank > 1 && this.wanted(cell)).sort((a, b) => HEALTH[b.h].rank - HEALTH[a.h].rank);
    const chips = trouble.slice(0, 6).map((cell) => {
      const chip = link(cell.o, '');
      chip.className = 'chip';
      chip.title = cell.t || cell.h;
      chip.append(mark(cell.h), el('span', { text: cell.n }));
      return chip;
    });
    if (trouble.length > 6) {
      const filter = 'health:' + trouble[6].h.toLowerCase();
      chips.push(el('a', { class: 'more', href: address({ filter }), text: andMore(trouble.length - 6) }));
    }
    const key = trouble.slice(0, 7).map((cell) => cell.n + cell.h + id(cell.o)).join() + trouble.length + address({});
    const holder = this.section.querySelector('.trouble');
    if (holder.saved !== key) {
      holder.saved = key;
      holder.replaceChildren(...chips);
    }
    this.layout();
  }

  wanted(cell) {
    return matches({ ...cell.o, name: cell.n + ' ' + cell.o.name, reason: cell.t, health: cell.h });
  }

  layout() {
    const width = Math.floor(this.canvas.parentElement.clientWidth);
    const number = this.map.cells.length;
    if (!width || !number) return;
    // Large where there are few, and never so small that a shape is lost.
    const size = number <= 60 ? 26 : number <= 300 ? 20 : number <= 1200 ? 14 : width < 600 ? 9 : 11;
    const gap = size > 16 ? 3 : size > 10 ? 2 : 1;
    const columns = Math.max(1, Math.floor((width + gap) / (size + gap)));
    const rows = Math.ceil(number / columns);
    const height = rows * (size + gap) - gap;
    const scale = window.devicePixelRatio || 1;
    Object.assign(this, { size, gap, columns, rows });
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.canvas.style.width = width + 'px';
      this.canvas.style.height = height + 'px';
    }
    this.paint();
  }

  paint() {
    if (!this.size) return;
    const pen = this.canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const colours = {};
    for (const health of WORST_FIRST) colours[health] = style.getPropertyValue('--' + health).trim();
    const ink = style.getPropertyValue('--cell-ink').trim();
    const scale = window.devicePixelRatio || 1;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const { size: s, gap, columns } = this;
    const filtering = state.terms.length > 0;
    this.map.cells.forEach((cell, index) => {
      const x = (index % columns) * (s + gap), y = Math.floor(index / columns) * (s + gap);
      pen.globalAlpha = filtering && !this.wanted(cell) ? 0.15 : 1;
      pen.fillStyle = pen.strokeStyle = colours[cell.h];
      const line = Math.max(1.3, s / 9);
      pen.lineWidth = line;
      pen.lineCap = 'round';
      const inset = s * 0.3;
      pen.beginPath();
      switch (cell.h) {
        case 'Healthy':
          pen.globalAlpha *= 0.55;
          pen.roundRect(x, y, s, s, s / 6);
          pen.fill();
          break;
        case 'Suspended':
          pen.roundRect(x + line / 2, y + line / 2, s - line, s - line, s / 6);
          pen.moveTo(x + s * 0.38, y + inset); pen.lineTo(x + s * 0.38, y + s - inset);
          pen.moveTo(x + s * 0.62, y + inset); pen.lineTo(x + s * 0.62, y + s - inset);
          pen.stroke();
          break;
        case 'Progressing':
          pen.roundRect(x + line / 2, y + line / 2, s - line, s - line, s / 6);
          pen.stroke();
          pen.beginPath();
          pen.roundRect(x, y + s / 2, s, s / 2, [0, 0, s / 6, s / 6]);
          pen.fill();
          break;
        case 'Unknown':
          pen.moveTo(x + s / 2, y); pen.lineTo(x + s, y + s / 2); pen.lineTo(x + s / 2, y + s); pen.lineTo(x, y + s / 2);
          pen.closePath();
          pen.fill();
          break;
        case 'Missing':
          pen.arc(x + s / 2, y + s / 2, s / 2 - line / 2, 0, 7);
          pen.moveTo(x + s - inset / 2, y + inset / 2); pen.lineTo(x + inset / 2, y + s - inset / 2);
          pen.stroke();
          break;
        default:
          // Where cells are small, trouble takes the room around it too.
          if (s > 14) pen.roundRect(x, y, s, s, s / 6);
          else pen.roundRect(x - gap / 2, y - gap / 2, s + gap, s + gap, s / 6);
          pen.fill();
          pen.strokeStyle = ink;
          pen.beginPath();
          pen.moveTo(x + inset, y + inset); pen.lineTo(x + s - inset, y + s - inset);
          pen.moveTo(x + s - inset, y + inset); pen.lineTo(x + inset, y + s - inset);
          pen.stroke();
      }
    });
    pen.globalAlpha = 1;
    if (document.activeElement === this.canvas && this.focus >= 0) {
      const x = (this.focus % columns) * (s + gap), y = Math.floor(this.focus / columns) * (s + gap);
      pen.strokeStyle = style.getPropertyValue('--focus').trim();
      pen.lineWidth = 2.5;
      pen.strokeRect(Math.max(1.5, x - 1.5), Math.max(1.5, y - 1.5), s + 3 - (x < 2 ? 1.5 : 0), s + 3 - (y < 2 ? 1.5 : 0));
    }
  }

  next(from, step, any = false) {
    const { cells } = this.map;
    for (let turn = 1; turn <= cells.length; turn++) {
      const index = (from + step * turn + cells.length * 2) % cells.length;
      if (HEALTH[cells[index].h].rank > 1) return index;
    }
    return any ? 0 : from;
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = this.map.cells.length - 1;
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns };
    let to = this.focus;
    if (event.key in moves) to += moves[event.key];
    else if (event.key === 'Home') to = 0;
    else if (event.key === 'End') to = last;
    else if (event.key === 'n') to = this.next(this.focus, 1);
    else if (event.key === 'p') to = this.next(this.focus, -1);
    else if (event.key === 'Enter' || event.key === ' ') {
      const cell = this.map.cells[this.focus];
      if (cell) location.hash = address({ object: cell.o });
    } else return;
    event.preventDefault();
    this.move(Math.min(last, Math.max(0, to)));
  }

  move(to) {
    this.focus = to;
    const cell = this.map.cells[to];
    if (cell) put(this.section.querySelector('.focus'), HEALTH[cell.h].glyph + ' ' + cell.n + ': ' + cell.h + (cell.t ? ', ' + cell.t : ''));
    this.paint();
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const step = this.size + this.gap;
    const column = Math.floor((event.clientX - box.left) / step), row = Math.floor((event.clientY - box.top) / step);
    return column < this.columns ? row * this.columns + column : -1;
  }

  point(event) {
    const index = this.at(event);
    const cell = this.map.cells[index];
    const tip = $('tip');
    tip.hidden = !cell;
    this.canvas.style.cursor = cell ? 'pointer' : '';
    if (!cell) return;
    if (this.hover !== index) {
      this.hover = index;
      tip.replaceChildren(mark(cell.h), el('strong', { text: ' ' + cell.n }), el('span', { text: ' ' + cell.h }));
      if (cell.t) tip.append(el('div', { text: cell.t }));
    }
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 18 + tip.offsetHeight < innerHeight;
    tip.style.left = Math.max(8, left) + 'px';
    tip.style.top = (below ? event.clientY + 18 : event.clientY - tip.offsetHeight - 10) + 'px';
  }
}

function drawGateways(page) {
  const shown = page.gateways.filter((gateway) => matches({ ...gateway.object, reason: gateway.reason, health: gateway.health })
    || gateway.routes.some((route) => matches({ ...route.object, reason: route.reason, health: route.health })));
  const more = page.summary.moreGateways;
  $('gateways').hidden = !shown.length;
  put($('n-gateways'), String(shown.length + more));
  omitted($('more-gateways'), more, 'Gateway', 'Gateways');
  keyed($('gateway-list'), shown, (gateway) => id(gateway.object), () => el('article', { class: 'gateway' }), (article, gateway) => {
    const saved = JSON.stringify(gateway) + address({});
    if (article.saved === saved) return;
    article.saved = saved;
    const { object } = gateway;
    const head = el('h3', {}, mark(gateway.health), ' ', link(object, (object.kind === 'Gateway' ? '' : object.kind + ' ') + (object.namespace ? object.namespace + '/' : '') + object.name));
    const facts = el('p', { class: 'meta' }, ...gateway.of ? [el('span', { text: 'of Gateway ' + gateway.of })] : [el('span', { text: 'class ' + gateway.class }),
      el('span', { text: gateway.addresses.length ? gateway.addresses.join(', ') : 'no address' })]);
    const why = gateway.reason ? el('p', { class: 'why', text: gateway.reason }) : null;
    const table = el('table', {}, el('caption', { class: 'sr', text: 'Listeners of ' + object.name }),
      el('thead', {}, el('tr', {}, ...['Listener', 'Port', 'Hostname', 'Routes'].map((name) => el('th', { scope: 'col', text: name })))),
      el('tbody', {}, ...gateway.listeners.flatMap((listener) => {
        const row = el('tr', {}, el('th', { scope: 'row' }, listener.health ? mark(listener.health) : '', ' ' + listener.name),
          el('td', { text: listener.port + ' ' + listener.protocol }), el('td', { text: listener.hostname || '*' }),
          el('td', { text: String(listener.routes) }));
        const said = listener.problems.map((problem) => el('tr', { class: 'said' }, el('td', { colspan: 4, text: problem })));
        if (listener.isSilent) said.push(el('tr', { class: 'said' }, el('td', { colspan: 4, text: 'no status from its controller' })));
        return [row, ...said];
      })));
    const routes = el('ul', { class: 'routes' }, ...gateway.routes.map((route) => el('li', {}, mark(route.health), ' ', link(route.object),
      el('span', { class: 'dim', text: ' ' + [route.hostnames.join(', '), route.listener ? 'on ' + route.listener : '', route.reason].filter(Boolean).join(' · ') }))),
      gateway.more ? el('li', { class: 'more', text: andMore(gateway.more, ' routes, not shown') }) : null);
    article.replaceChildren(...[head, facts, why, table, gateway.routes.length ? routes : gateway.listeners.some((listener) => listener.routes) ? null : el('p', { class: 'dim', text: 'No route names it.' })].filter(Boolean));
  });
}

// Many objects that change alike at once are one line.
function gathered(changes) {
  const groups = [];
  for (const change of changes) {
    const last = groups[groups.length - 1];
    const first = last && last[0];
    if (first && first.from === change.from && first.to === change.to && first.reason === change.reason
      && first.object.kind === change.object.kind && Math.abs(Date.parse(first.at) - Date.parse(change.at)) < 10000) last.push(change);
    else groups.push([change]);
  }
  return groups;
}

function drawTime(list, changes, gather) {
  const groups = gather ? gathered(changes) : changes.map((change) => [change]);
  const key = (group) => { const change = group[group.length - 1]; return change.at + id(change.object) + change.to; };
  keyed(list, groups, key, () => el('li', {}), (item, group) => {
    const change = group[0];
    const saved = JSON.stringify(change) + group.length + address({});
    if (item.saved === saved) return;
    item.saved = saved;
    const from = change.from ? mark(change.from) : el('span', { class: 'dim', text: 'new' });
    const to = change.to ? mark(change.to) : el('span', { class: 'dim', text: 'gone' });
    const what = group.length === 1 ? link(change.object)
      : el('details', {}, el('summary', { text: count(group.length, change.object.kind, pluralOf(change.object.kind)) }),
        ...group.slice(0, 50).map((one) => el('div', {}, link(one.object))),
        group.length > 50 ? el('div', { class: 'more', text: andMore(group.length - 50) }) : null);
    item.replaceChildren(el('time', { datetime: change.at, title: change.at, text: clock(change.at) }),
      el('span', { class: 'step' }, from, el('span', { class: 'dim', 'aria-label': 'to', role: 'img', text: '→' }), to),
      el('span', { class: 'what' }, what, change.reason ? el('span', { class: 'dim', text: ' ' + change.reason }) : null));
  });
}

function clock(at) {
  const then = new Date(at), now = new Date();
  const time = then.toLocaleTimeString('en-GB');
  return then.toDateString() === now.toDateString() ? time : then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' }) + ' ' + time;
}

function drawKinds(page) {
  const shown = page.kinds.filter((kind) => !state.terms.some((term) => term.field === 'kind')
    || matches({ kind: kind.kind, name: '', namespace: '', reason: '', health: '' }) || matches({ kind: kind.plural }));
  put($('n-kinds'), String(shown.length + page.summary.moreKinds));
  omitted($('more-kinds'), page.summary.moreKinds, 'kind', 'kinds');
  keyed($('kinds'), shown, (kind) => kind.kind + '.' + kind.group, () => el('li', {}, el('a', { class: 'name' }), el('span', { class: 'number' }),
    el('span', { class: 'share', 'aria-hidden': 'true' }), el('span', { class: 'gap' })), (item, kind) => {
    const saved = JSON.stringify(kind) + state.source;
    if (item.saved === saved) return;
    item.saved = saved;
    const sum = kind.counts.reduce((a, b) => a + b, 0);
    const name = item.querySelector('.name');
    put(name, kind.kind);
    name.title = kind.plural + (kind.group ? '.' + kind.group : '');
    name.setAttribute('href', address({ filter: 'kind:' + kind.kind.toLowerCase() }));
    put(item.querySelector('.number'), sum.toLocaleString('en-US'));
    const told = WORST_FIRST.map((health, index) => [health, kind.counts[index]]).filter(([, number]) => number);
    name.setAttribute('aria-label', kind.kind + ': ' + told.map(([health, number]) => number + ' ' + health.toLowerCase()).join(', '));
    item.querySelector('.share').replaceChildren(...told.map(([health, number]) => {
      const bar = el('span', { class: 'h-' + health, title: number + ' ' + health.toLowerCase() });
      bar.style.flexGrow = number;
      return bar;
    }));
    put(item.querySelector('.gap'), kind.gap);
  });
}

// --- Objects that a filter asks for ---------------------------------------------------------------------------------

let searching = 0, searched = '';
async function search() {
  if (!state.source) return;
  const url = '/api/' + encodeURIComponent(state.source) + '/objects?filter=' + encodeURIComponent(state.filter);
  if (searching && searched === url) return;
  searched = url;
  const turn = ++searching;
  await new Promise((done) => setTimeout(done, 150));
  if (turn !== searching) return;
  try {
    const { rows, more } = await (await fetch(url)).json();
    if (turn !== searching) return;
    put($('n-found'), (rows.length + more).toLocaleString('en-US') + (more ? ', ' + rows.length + ' shown' : ''));
    keyed($('rows'), rows, (row) => id(row.object), () => el('li', {}), (item, row) => {
      const saved = JSON.stringify(row) + address({});
      if (item.saved === saved) return;
      item.saved = saved;
      item.replaceChildren(mark(row.health), ' ', link(row.object), row.since ? el('span', { class: 'dim' }, ' ', aged(row.since)) : '',
        el('span', { class: 'dim', text: ' ' + [row.reason, row.message].filter(Boolean).join(': ') }));
    });
  } catch { /* The stream says that the connection is lost. */ }
  // What changes meanwhile is looked up once more, and not at every change.
  setTimeout(() => { if (turn === searching) { searching = 0; if (state.filter && !state.object) searchLater(); } }, 1500);
}

let stale = '';
function searchLater() {
  const now = JSON.stringify(state.page && state.page.summary.counts);
  if (now !== stale) {
    stale = now;
    search();
  }
}

// --- One object -----------------------------------------------------------------------------------------------------

let looking = false, wanted = false;
async function look(first) {
  if (looking && !first) {
    wanted = true;
    return;
  }
  looking = true;
  const object = state.object;
  const words = new URLSearchParams({ group: object.group, kind: object.kind, namespace: object.namespace, name: object.name });
  try {
    const answer = await fetch('/api/' + encodeURIComponent(state.source) + '/object?' + words);
    const problem = answer.ok ? '' : answer.status === 404 ? 'there is no such kind, or you may not list it' : (await answer.text()).trim();
    const detail = answer.ok ? await answer.json() : { object, problem, lines: [], conditions: [], changes: [], health: 'Unknown', sentence: '' };
    if (same(object, state.object)) {
      state.detail = detail;
      draw();
    }
  } catch { /* The stream says that the connection is lost. */ }
  setTimeout(() => {
    looking = false;
    if (wanted && state.object) {
      wanted = false;
      look();
    }
  }, 1000);
}

function drawObject() {
  const { object, detail } = state;
  put($('o-name'), title(object));
  document.title = title(object) + ' · allready';
  $('back').setAttribute('href', address({}));
  hero($('o-hero'), $('o-glyph'), detail ? detail.health : null);
  put($('o-sentence'), detail ? detail.sentence + (detail.hopeless ? '. It will not become healthy by itself: ' + detail.hopeless : '') : 'Reading it, and what is behind it');
  if (!detail) {
    for (const part of ['o-facts', 'tree', 'conditions', 'changes', 'command']) $(part).replaceChildren();
    return;
  }
  const saved = JSON.stringify(detail) + address({});
  if ($('object').saved === saved && $('tree').childElementCount) return;
  $('object').saved = saved;
  const facts = [detail.health];
  if (object.group) facts.push(object.group);
  if (detail.isDeleting) facts.push('being deleted');
  if (detail.lag) facts.push('its status is about generation ' + detail.lag[0] + ' of ' + detail.lag[1]);
  if (detail.problem) facts.push(detail.problem);
  $('o-facts').replaceChildren(...facts.map((fact) => el('span', { text: fact })), ...(detail.created ? [aged(detail.created, 'created ')] : []));
  drawTree(detail);
  put($('n-conditions'), detail.conditions.length ? String(detail.conditions.length + detail.omitted) : '');
  $('no-conditions').hidden = detail.conditions.length > 0;
  $('conditions').replaceChildren(...detail.conditions.map((said) => el('li', {},
    el('div', {}, el('strong', { text: (said.part ? said.part + ' ' : '') + said.type }), el('span', { class: 'value s-' + said.status, text: said.status }),
      el('span', { class: 'dim' }, ...[aged(said.since)].filter(Boolean))),
    said.reason || said.message ? el('div', { class: 'dim', text: [said.reason, said.message].filter(Boolean).join(': ') }) : null,
    said.writer ? el('div', { class: 'dim small', text: 'said by ' + said.writer }) : null)));
  drawTime($('changes'), detail.changes, false);
  $('no-changes').hidden = detail.changes.length > 0;
  $('command-card').hidden = !detail.command;
  put($('command'), detail.command || '');
}

function drawTree(detail) {
  const lists = [];
  const root = el('ul', {});
  detail.lines.forEach((line, index) => {
    const said = [line.reason, line.message].filter(Boolean).join(': ');
    const head = el('div', { class: 'line' + (line.isCause ? ' is-cause' : line.isPath ? ' is-path' : '') },
      line.relation ? el('span', { class: 'relation', text: line.relation }) : null,
      mark(line.health, line.isSeen),
      line.link && !same(line.link, detail.object) ? link(line.link, line.label) : el('strong', { text: line.label }),
      line.isCause ? el('span', { class: 'tag', text: 'first cause' }) : null,
      el('span', { class: 'dim' }, ...[aged(line.since)].filter(Boolean), line.writer ? ' by ' + line.writer : ''),
      said ? el('div', { class: 'why', text: said }) : null,
      ...line.gaps.map((gap) => el('div', { class: 'gap', text: gap })));
    const below = el('ul', {});
    const item = el('li', {}, head, below);
    if (line.folded) below.append(el('li', {}, el('div', { class: 'line dim', text: '… and ' + line.folded })));
    lists[index] = below;
    const parent = line.parent === null || !lists[line.parent] ? root : lists[line.parent];
    const fold = parent.lastElementChild;
    if (fold && fold.firstElementChild.classList.contains('dim') && !fold.querySelector('ul')) parent.insertBefore(item, fold);
    else parent.append(item);
  });
  for (const list of root.querySelectorAll('ul')) if (!list.childElementCount) list.remove();
  $('tree').replaceChildren(root);
}

// --- Theme, keys, beginning -----------------------------------------------------------------------------------------

const THEMES = { system: ['◐', 'as the system'], light: ['☀', 'light'], dark: ['☾', 'dark'] };
function theme(name) {
  if (name === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try { localStorage.setItem('theme', name); } catch { /* A browser may refuse to remember. */ }
  put($('theme'), THEMES[name][0]);
  $('theme').setAttribute('aria-label', 'Theme: ' + THEMES[name][1]);
  for (const map of maps.values()) map.paint();
}
function themeNow() {
  return document.documentElement.dataset.theme || 'system';
}
function nextTheme() {
  const names = Object.keys(THEMES);
  theme(names[(names.indexOf(themeNow()) + 1) % names.length]);
}

function main() {
  let chosen = 'system';
  try { chosen = localStorage.getItem('theme') || 'system'; } catch { /* As above. */ }
  theme(chosen in THEMES ? chosen : 'system');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { for (const map of maps.values()) map.paint(); });
  $('legend').replaceChildren(...WORST_FIRST.map((health) => el('li', {}, mark(health), el('strong', { text: ' ' + health }), el('span', { text: ': ' + HEALTH[health].says }))));
  $('theme').addEventListener('click', nextTheme);
  $('help-open').addEventListener('click', () => $('help').showModal());
  $('home').addEventListener('click', (event) => { event.preventDefault(); location.hash = address({ filter: '' }); });
  $('source').addEventListener('change', () => { location.hash = address({ source: $('source').value, object: null, filter: '' }); });
  $('share').addEventListener('click', async () => {
    let told = 'The link is in the address bar.';
    try { await navigator.clipboard.writeText(location.href); told = 'Copied'; } catch { /* Not allowed: it says where else. */ }
    put($('said'), told);
    put($('share'), told === 'Copied' ? 'Copied' : 'Copy link');
    setTimeout(() => put($('share'), 'Copy link'), 1500);
  });
  $('login-form').addEventListener('submit', useToken);
  $('login').addEventListener('cancel', (event) => event.preventDefault());
  $('sign-out').addEventListener('click', signOut);
  $('search').addEventListener('submit', (event) => event.preventDefault());
  $('filter').addEventListener('input', () => { history.replaceState(null, '', address({ filter: $('filter').value.trim() })); readAddress(); });
  addEventListener('hashchange', readAddress);
  addEventListener('keydown', (event) => {
    if ($('help').open || $('login').open || event.altKey || event.ctrlKey || event.metaKey) return;
    const typing = event.target.closest('input, select, textarea');
    if (event.key === 'Escape') {
      if (state.object) location.hash = address({});
      else if (state.filter) location.hash = address({ filter: '' });
      $('filter').value = '';
      if (typing) typing.blur();
    } else if (!typing && event.key === '/') {
      event.preventDefault();
      $('filter').focus();
    } else if (!typing && event.key === '?') $('help').showModal();
    else if (!typing && event.key === 't') nextTheme();
  });
  setInterval(() => {
    for (const element of document.querySelectorAll('[data-since]')) put(element, element.dataset.before + age(element.dataset.since));
  }, 1000);
  // Clusters come and go: a demo shows its hub later.
  setInterval(async () => {
    if (!state.sources.length || (state.source && !state.stream)) return;
    try {
      const answer = await fetch('/api/sources');
      if (!answer.ok) return;
      const sources = await answer.json();
      if (JSON.stringify(sources) === JSON.stringify(state.sources)) return;
      offer(sources);
      readAddress();
    } catch { /* The stream says that the connection is lost. */ }
  }, 3000);
  begin();
}

main();
