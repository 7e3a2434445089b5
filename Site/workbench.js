// The pages that pass inputs to the engine. Every text and every result comes from it.
'use strict';
(() => {
  const {el, glyph, mark, rulePage, verdictLine, Player, Comparison} = globalThis.trustlabPlayer;
  const byId = id => document.getElementById(id);
  const status = byId('status');
  const result = byId('result');
  let player = null;

  // A newer question makes the answer to an older one for the same use useless.
  const running = new Map();
  async function ask(name, question, use = name) {
    if (running.has(use)) running.get(use).abort();
    const ending = new AbortController();
    running.set(use, ending);
    const reply = await fetch('/engine/' + name, {method: 'POST', body: JSON.stringify(question), signal: ending.signal});
    if (!reply.ok) return {diagnostics: [{severity: 'error', message: (await reply.text()).trim(), hint: ''}]};
    return reply.json();
  }

  // Calls the engine and shows its errors; null if there is no result, or a newer question.
  async function answer(name, question) {
    let reply;
    status.textContent = 'The engine is working…';
    try {
      reply = await ask(name, question);
    } catch (error) {
      if (error.name === 'AbortError') return null;
      reply = {diagnostics: [{severity: 'error', message: 'The server does not respond.', hint: "start 'trustlab web' again"}]};
    }
    showErrors(reply.diagnostics || reply.warnings || []);
    if (reply.diagnostics) status.textContent = '';
    return reply.diagnostics ? null : reply;
  }

  function showErrors(errors) {
    byId('errors').replaceChildren(...errors.map(error => el('p', {class: 'finding'},
      glyph(error.severity === 'error' ? '✗' : '!', error.severity === 'error' ? 'bad' : 'warning'), ' ',
      error.line ? el('button', {type: 'button', class: 'field', onclick: () => jump(error.line, error.column)}, `line ${error.line}, column ${error.column}`) : null,
      error.line ? ': ' : '', error.message, error.hint ? [el('br'), el('span', {class: 'dim'}, 'hint: '), error.hint] : null)));
  }

  function jump(line, column) {
    const editor = byId('file');
    if (!editor) return;
    const lines = editor.value.split('\n');
    const place = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
    editor.focus();
    editor.setSelectionRange(place, place + 1);
  }

  function play(data) {
    if (player) player.close();
    const step = player ? player.step : 0;
    player = new Player(byId('player'), data);
    if (!location.hash) player.show(step);
  }

  function leave() {
    if (player) player.close();
    player = null;
    byId('player').replaceChildren();
    result.replaceChildren();
  }

  const option = (value, text) => el('option', {value}, text || value);

  async function choices() {
    const reply = await answer('choices', {});
    status.textContent = '';
    return reply || {validators: [], profiles: [], systems: [], latest: ''};
  }

  // The historical bugs by the party, or the parties, that can have them.
  function bugs(select, all) {
    const groups = [...new Set(all.map(item => item.place))].sort().map(place => el('optgroup',
      {label: place === 'delegate' ? 'app (delegate)' : place},
      all.filter(item => item.place === place).map(item => el('option', {value: item.name, title: item.meaning}, item.name))));
    select.replaceChildren(option('', 'none'), ...groups);
  }

  async function base64(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = '';
    for (let start = 0; start < bytes.length; start += 32768) text += String.fromCharCode(...bytes.subarray(start, start + 32768));
    return btoa(text);
  }

  // The list of words that fit at the cursor: a combobox as the ARIA practices describe it.
  class Words {
    constructor(editor, changed) {
      this.editor = editor;
      this.changed = changed;
      this.list = byId('words');
      this.items = [];
      editor.addEventListener('keydown', event => this.key(event));
      editor.addEventListener('blur', () => setTimeout(() => this.close(), 150));
    }

    key(event) {
      if (event.ctrlKey && event.code === 'Space') {
        event.preventDefault();
        return this.open();
      }
      if (this.list.hidden) return undefined;
      const move = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (move) {
        event.preventDefault();
        return this.select((this.index + move + this.items.length) % this.items.length);
      }
      if (event.key === 'Enter' || event.key === 'Tab') {
        event.preventDefault();
        return this.insert(this.items[this.index]);
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        return this.close();
      }
      return undefined;
    }

    place() {
      const before = this.editor.value.slice(0, this.editor.selectionStart).split('\n');
      return {line: before.length, column: [...before[before.length - 1]].length + 1};
    }

    async open() {
      const place = this.place();
      let reply;
      try {
        reply = await ask('complete', {file: this.editor.value, ...place});
      } catch (error) {
        return;
      }
      this.typed = place.column - reply.column;
      this.items = reply.items || [];
      if (!this.items.length) {
        this.close();
        status.textContent = 'No word of the language fits here.';
        return;
      }
      this.list.replaceChildren(...this.items.map((item, index) => el('li', {
        role: 'option', id: 'word-' + index, onmousedown: event => { event.preventDefault(); this.insert(item); },
      }, el('code', {}, item.word), item.meaning ? el('span', {class: 'dim'}, ' ' + item.meaning) : null)));
      this.list.hidden = false;
      this.editor.setAttribute('aria-expanded', 'true');
      this.select(0);
    }

    select(index) {
      this.index = index;
      [...this.list.children].forEach((node, own) => node.setAttribute('aria-selected', String(own === index)));
      this.editor.setAttribute('aria-activedescendant', 'word-' + index);
      this.list.children[index].scrollIntoView({block: 'nearest'});
    }

    insert(item) {
      const end = this.editor.selectionStart;
      const {line, column} = this.place();
      const text = this.editor.value.split('\n')[line - 1];
      const typed = [...text].slice(column - 1 - this.typed, column - 1).join('').length;
      this.editor.setRangeText(item.text, end - typed, end, 'end');
      this.close();
      this.changed();
    }

    close() {
      this.list.hidden = true;
      this.editor.setAttribute('aria-expanded', 'false');
      this.editor.removeAttribute('aria-activedescendant');
    }
  }

  // A changed scenario beside the original.
  class ScenarioPage {
    constructor(form) {
      this.form = form;
      this.editor = byId('file');
      this.words = new Words(this.editor, () => this.start());
      const names = [...new Set(trustlabCases.map(([name]) => name.split('/')[0]))];
      form.querySelector('datalist').replaceChildren(...names.map(name => option(name)));
      this.editor.addEventListener('input', () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.start(), 350);
        if (!this.words.list.hidden) this.words.open();
      });
      form.addEventListener('submit', event => { event.preventDefault(); this.load(); });
      byId('load').addEventListener('click', () => this.load());
      for (const name of ['case', 'validator']) form.elements[name].addEventListener('change', () => this.start());
      form.elements.scenario.value = new URLSearchParams(location.search).get('scenario') || 'L1-15';
      this.begin();
    }

    async begin() {
      bugs(this.form.elements.validator, (await choices()).validators);
      await this.load();
    }

    async load() {
      const id = this.form.elements.scenario.value.trim();
      const reply = await answer('source', {scenario: id});
      if (!reply) return leave();
      this.id = id;
      this.editor.value = reply.file;
      this.original = reply.file;
      this.originals = new Map();
      this.form.elements.case.replaceChildren();
      history.replaceState(null, '', '?scenario=' + encodeURIComponent(id));
      return this.start();
    }

    // The run of the unchanged file, for the same case.
    async before(name) {
      try {
        if (!this.originals.has(name)) {
          this.originals.set(name, await ask('run', {scenario: this.id, file: this.original, case: name}, 'before'));
        }
      } catch (error) {
        return null;
      }
      const reply = this.originals.get(name);
      return reply.diagnostics || reply.case !== name ? null : reply.run;
    }

    async start() {
      const {form} = this;
      const turn = this.turn = (this.turn || 0) + 1;
      const reply = await answer('run', {
        scenario: this.id, file: this.editor.value, case: form.elements.case.value, validator: form.elements.validator.value,
      });
      if (turn !== this.turn) return undefined;
      if (!reply) return leave();
      form.elements.case.replaceChildren(...reply.cases.map(name => option(name)));
      form.elements.case.value = reply.case;
      const before = await this.before(reply.case);
      if (turn !== this.turn) return undefined;
      const isChanged = this.editor.value !== this.original || form.elements.validator.value;
      status.replaceChildren(...verdictLine(reply.run), isChanged ? '' : ' (unchanged)');
      result.replaceChildren(...(isChanged && before ? [this.differences(before, reply.run)] : []));
      return play(reply);
    }

    differences(before, after) {
      const place = el('div', {});
      const node = el('details', {id: 'differences'}, el('summary', {}, el('h2', {}, 'Before and after')), place);
      const words = el('p', {id: 'parting'});
      // A diagram needs the width of its place, so it is drawn when the place is open.
      node.addEventListener('toggle', () => {
        if (node.open && !place.childNodes.length) words.textContent = Comparison.words(Comparison.show(place, ['before', 'after'], [], [before, after]));
      });
      node.open = this.isOpen === true;
      node.addEventListener('toggle', () => { this.isOpen = node.open; });
      return el('div', {}, el('p', {id: 'before'}, el('span', {class: 'dim'}, 'before: '), verdictLine(before)), node, words);
    }
  }

  const counted = (count, name) => `${count} ${name}${count === 1 ? '' : 's'}`;

  // Keys with their values; those without a value are left out.
  const facts = pairs => el('dl', {}, pairs.filter(([, value]) => value && value.length !== 0)
    .map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));

  const inLines = texts => texts.map((text, index) => [index ? el('br') : null, text]);

  const lines = text => text.split('\n').map(line => line.trim()).filter(Boolean);

  class PropertyListPage {
    constructor(form) {
      choices().then(({systems}) => { form.elements.systems.placeholder = `empty: ${systems.join(', ')}, or as Info.plist says`; });
      form.addEventListener('submit', async event => {
        event.preventDefault();
        const file = form.elements.file.files[0];
        const reply = await answer('plist', {
          plist: form.elements.plist.value, bytes: file ? await base64(file) : '', urls: lines(form.elements.urls.value),
          systems: form.elements.systems.value.split(',').map(name => name.trim()).filter(Boolean),
        });
        if (!reply) return leave();
        status.textContent = counted(reply.decisions.length, 'decision');
        return this.show(reply);
      });
    }

    show({decisions, lint}) {
      const findings = (lint.files || []).flatMap(file => file.findings || []);
      const urls = [...new Set(decisions.map(item => item.url))];
      result.replaceChildren(el('div', {},
        el('section', {id: 'lint'}, el('h2', {}, `Findings of the property list: ${findings.length}`), findings.map(item => this.finding(item))),
        el('section', {id: 'decisions'}, el('h2', {}, 'Decisions'), urls.map(url => [
          el('h3', {}, el('code', {}, url)), this.groups(decisions.filter(item => item.url === url)).map(group => this.decision(group))]))));
    }

    finding(item) {
      return el('article', {class: item.severity === 'error' ? 'reason' : 'reason advice'},
        el('h3', {}, glyph(...(item.severity === 'error' ? ['✗', 'bad'] : ['!', 'warning'])), ' ', item.severity, ' ', rulePage(item.rule)),
        el('p', {}, el('code', {}, item.keyPath || ''), ' ', item.message, item.line ? el('span', {class: 'dim'}, ` line ${item.line}`) : null),
        facts([['effect', item.effect], ['fix', item.fix]]));
    }

    // The decisions about one URL, those with the same result together.
    groups(decisions) {
      const groups = new Map();
      for (const item of decisions) {
        const key = JSON.stringify([item.verdict, item.because, item.decidedBy, item.reason, item.fix]);
        groups.set(key, [...(groups.get(key) || []), item]);
      }
      return [...groups.values()];
    }

    decision(group) {
      const [item] = group;
      const [sign, style, kind] = {allowed: ['✓', 'good', 'allowed'], blocked: ['✗', 'bad', '']}[item.verdict] || ['?', 'warning', 'advice'];
      const systems = items => items.map(one => one.os).join(', ');
      const notes = [...new Set(group.flatMap(one => one.notes))].map(note => {
        const some = group.filter(one => one.notes.includes(note));
        return some.length < group.length ? `${systems(some)}: ${note}` : note;
      });
      return el('article', {class: 'reason ' + kind},
        el('h4', {}, glyph(sign, style), ' ', item.verdict, ' ', el('span', {class: 'dim'}, systems(group))),
        facts([['decided by', el('code', {}, item.decidedBy)], ['rules', item.because.map(rule => [rulePage(rule), ' '])],
          ['reason', item.reason], ['fix', inLines(item.fix)], ['notes', inLines(notes)]]));
    }
  }

  class ChainPage {
    constructor(form) {
      this.form = form;
      choices().then(({validators, profiles, latest}) => {
        bugs(form.elements.validator, validators.filter(item => item.place.split(' and ').includes('validator')));
        form.elements.profile.replaceChildren(...profiles.map(name => option(name)));
        form.elements.profile.value = 'apple';
        this.latest = latest;
        this.describeSystem();
      });
      form.elements.profile.addEventListener('change', () => this.describeSystem());
      form.addEventListener('submit', async event => {
        event.preventDefault();
        const file = form.elements.file.files[0];
        const value = name => form.elements[name].value.trim() || undefined;
        const reply = await answer('chain', {
          chain: [file ? await base64(file) : form.elements.chain.value], roots: value('roots') ? [value('roots')] : undefined,
          host: value('host'), at: value('at'), profile: value('profile'), os: value('os'), validator: value('validator'),
        });
        if (!reply) return leave();
        return this.show(reply, !value('at'));
      });
    }

    describeSystem() {
      const {os, profile} = this.form.elements;
      os.placeholder = profile.value === 'apple' ? `empty: ${this.latest}` : 'empty: the profile does not depend on a system';
    }

    show(reply, isNow) {
      status.replaceChildren(...verdictLine(reply));
      const violated = reply.findings.filter(item => item.outcome === 'violated');
      const doubts = this.doubts(reply);
      const hasAnchors = Object.values(reply.anchors).some(count => count > 0);
      result.replaceChildren(el('div', {},
        hasAnchors ? null : el('p', {class: 'notice', id: 'no-anchors'},
          'No trust anchors were given, so no chain can be accepted. Paste the root certificates into the field Trusted roots.'),
        el('section', {id: 'settings'}, this.settings(reply, isNow)),
        el('section', {id: 'violated'}, el('h2', {}, `Violated rules: ${violated.length}`), violated.map(item => this.finding(item))),
        doubts.length ? el('section', {id: 'unknown'}, el('h2', {}, `Checks whose result is unknown: ${doubts.length}`),
          el('ul', {}, doubts.map(item => el('li', {}, glyph('?', 'warning'), ' ', rulePage(item.rule), ' ',
            el('span', {class: 'dim'}, item.subject + ': '), this.reason(item))))) : null,
        el('h2', {}, 'Paths'),
        el('ul', {}, reply.candidates.map(item => el('li', {}, item.path.join(' ‹ '), ' ',
          el('span', {class: 'dim'}, item.anchor ? item.anchor + ' anchor' : 'no anchor')))),
        el('section', {id: 'certificates'}, el('h2', {}, 'Certificates'), reply.certificates.map(item => this.certificate(item)))));
    }

    settings({host, purpose, at, profile, os, anchors, result: trust, errors, unused, findings}, isNow) {
      const counts = Object.entries(anchors).filter(([, count]) => count).map(([kind, count]) => `${count} ${kind}`);
      const outcomes = new Map();
      for (const {outcome} of findings) outcomes.set(outcome, (outcomes.get(outcome) || 0) + 1);
      return facts([
        ['host', host || 'none: names are not checked'], ['purpose', purpose], ['date', at + (isNow ? ' (now)' : '')],
        ['profile', [profile, os].filter(Boolean).join(', ')], ['anchors', counts.join(', ') || 'none'], ['SecTrust', trust],
        ['errors', inLines(errors.map(error => `${error.domain} ${error.code} ${error.name || ''}`))],
        ['not used', unused.join(', ')], ['checks', [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')],
      ]);
    }

    finding(item) {
      return el('article', {class: item.weight === 'decides' ? 'reason' : 'reason advice'},
        el('h3', {}, glyph(...mark(item)), ' ', rulePage(item.rule), ' ', el('span', {class: 'dim'}, `${item.weight}: ${item.subject}`)),
        facts([['required', item.required], ['found', item.found], ['fix', item.fix]]));
    }

    // The findings without a result: those that could refuse an accepted chain, and all that say so.
    doubts({unknown, findings}) {
      const open = findings.filter(item => ['unknown', 'not-evaluated'].includes(item.outcome));
      return open.filter(item => item.outcome === 'unknown' || unknown.includes(item.rule));
    }

    // This page passes no revocation data to the engine.
    reason({rule, confidence, required, found}) {
      const values = [['required', required], ['found', found]].filter(([, value]) => value).map(([name, value]) => `${name}: ${value}`);
      return confidence || values.join('; ') || (rule === 'chain.revoked' ? 'no CRL and no OCSP response were given' : 'the reason is not known');
    }

    certificate(item) {
      return el('article', {class: 'certificate'}, el('h3', {}, item.name), facts([
        ['subject', item.subject], ['issuer', item.issuer], ['valid', `${item.notBefore} to ${item.notAfter}`], ['key', item.key],
        ['pin', item.pin], ['signature', item.signature], ['names', item.names.join(', ')]]));
    }
  }

  class RecordingPage {
    constructor(form) {
      this.form = form;
      this.sessions = byId('sessions');
      form.addEventListener('submit', event => { event.preventDefault(); this.open(); });
      this.sessions.addEventListener('change', () => this.open(this.sessions.value));
      addEventListener('dragover', event => event.preventDefault());
      addEventListener('drop', event => { event.preventDefault(); this.drop([...event.dataTransfer.files]); });
    }

    drop(files) {
      for (const file of files) {
        const name = /\.(pcap|pcapng|cap|json)$/i.test(file.name) ? 'capture' : /\.pem$/i.test(file.name) ? 'key' : 'keylog';
        const transfer = new DataTransfer();
        transfer.items.add(file);
        this.form.elements[name].files = transfer.files;
      }
      this.open();
    }

    async open(session) {
      const {elements} = this.form;
      const capture = elements.capture.files[0];
      if (!capture) {
        status.textContent = 'Choose a capture first.';
        return;
      }
      const text = async name => (elements[name].files[0] ? elements[name].files[0].text() : '');
      const reply = await answer('recording', {
        bytes: await base64(capture), name: capture.name, keylog: await text('keylog'), key: await text('key'), session,
      });
      if (!reply) {
        leave();
        return;
      }
      this.sessions.replaceChildren(...reply.sessions.map(name => option(name)));
      this.sessions.value = reply.session;
      this.sessions.disabled = false;
      status.replaceChildren(...verdictLine(reply.run), ` ${counted(reply.count, 'TLS session')} in the file`);
      play(reply);
    }
  }

  const pages = {'scenario-form': ScenarioPage, 'plist-form': PropertyListPage, 'chain-form': ChainPage, 'recording-form': RecordingPage};
  for (const [id, Type] of Object.entries(pages)) {
    const form = byId(id);
    if (form) globalThis.trustlabWorkbench = new Type(form);
  }
})();
