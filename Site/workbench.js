// The pages that pass inputs to the engine. Every text and every result comes from it.
'use strict';
(() => {
  const {el, glyph, mark, verdicts, rulePage, Player, Comparison} = globalThis.trustlabPlayer;
  const byId = id => document.getElementById(id);
  const status = byId('status');
  const result = byId('result');
  let player = null;

  // A newer question makes the answer to an older one useless.
  const running = new Map();
  async function ask(name, question) {
    if (running.has(name)) running.get(name).abort();
    const ending = new AbortController();
    running.set(name, ending);
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

  function verdict(run) {
    const [mark, style] = verdicts[run.verdict] || ['…', 'warning'];
    return [glyph(mark, style), ' ', el('b', {}, run.verdict), ' ', run.because.map(rule => [rulePage(rule), ' '])];
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
    return reply || {validators: [], profiles: [], systems: []};
  }

  function validators(select, all) {
    select.replaceChildren(option('', 'correct'), ...all.map(item => el('option', {value: item.name, title: item.meaning}, item.name)));
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
      validators(this.form.elements.validator, (await choices()).validators);
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
      if (!this.originals.has(name)) {
        this.originals.set(name, await ask('run', {scenario: this.id, file: this.original, case: name}));
      }
      const reply = this.originals.get(name);
      return reply.diagnostics || reply.case !== name ? null : reply.run;
    }

    async start() {
      const {form} = this;
      const reply = await answer('run', {
        scenario: this.id, file: this.editor.value, case: form.elements.case.value, validator: form.elements.validator.value,
      });
      if (!reply) return leave();
      form.elements.case.replaceChildren(...reply.cases.map(name => option(name)));
      form.elements.case.value = reply.case;
      const before = await this.before(reply.case);
      const isChanged = this.editor.value !== this.original || form.elements.validator.value;
      status.replaceChildren(...verdict(reply.run), isChanged ? '' : ' (unchanged)');
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
      return el('div', {}, el('p', {id: 'before'}, el('span', {class: 'dim'}, 'before: '), verdict(before)), node, words);
    }
  }

  const rows = (header, lines, label) => el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': label}, el('table', {},
    el('thead', {}, el('tr', {}, header.map(name => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, lines.map(line => el('tr', {}, line.map(cell => el('td', {}, cell)))))));

  const lines = text => text.split('\n').map(line => line.trim()).filter(Boolean);

  class PropertyListPage {
    constructor(form) {
      form.addEventListener('submit', async event => {
        event.preventDefault();
        const file = form.elements.file.files[0];
        const reply = await answer('plist', {
          plist: form.elements.plist.value, bytes: file ? await base64(file) : '', urls: lines(form.elements.urls.value),
          systems: form.elements.systems.value.split(',').map(name => name.trim()).filter(Boolean),
        });
        if (!reply) return leave();
        status.textContent = `${reply.decisions.length} decisions`;
        return this.show(reply);
      });
    }

    show({decisions, lint}) {
      const findings = (lint.files || []).flatMap(file => file.findings || []);
      const marks = {allowed: ['✓', 'good'], blocked: ['✗', 'bad']};
      result.replaceChildren(el('div', {},
        el('h2', {}, 'Decisions'),
        rows(['URL', 'system', 'decision', 'rules', 'decided by', 'reason', 'fix'], decisions.map(item => [
          item.url, item.os, [glyph(...(marks[item.verdict] || ['?', 'warning'])), ' ', item.verdict, ' ', item.confidence === 'certain' ? '' : `(${item.confidence})`],
          item.because.map(rule => [rulePage(rule), ' ']), item.decidedBy, [item.reason, item.notes.map(note => [el('br'), note])],
          item.fix.map((fix, index) => [index ? el('br') : '', fix])]), 'Decisions'),
        el('h2', {}, `Findings of the property list: ${findings.length}`),
        findings.map(item => el('article', {class: 'reason'},
          el('h3', {}, glyph(...(item.severity === 'error' ? ['✗', 'bad'] : ['!', 'warning'])), ' ', item.severity, ' ', rulePage(item.rule)),
          el('p', {}, el('code', {}, item.keyPath || ''), ' ', item.message, item.line ? el('span', {class: 'dim'}, ` line ${item.line}`) : null),
          item.effect ? el('p', {}, el('span', {class: 'dim'}, 'effect: '), item.effect) : null,
          item.fix ? el('p', {}, el('span', {class: 'dim'}, 'fix: '), item.fix) : null))));
    }
  }

  class ChainPage {
    constructor(form) {
      choices().then(({validators: all, profiles}) => {
        validators(form.elements.validator, all.filter(item => item.place === 'validator'));
        form.elements.profile.replaceChildren(...profiles.map(name => option(name)));
        form.elements.profile.value = 'apple';
      });
      form.addEventListener('submit', async event => {
        event.preventDefault();
        const file = form.elements.file.files[0];
        const value = name => form.elements[name].value.trim() || undefined;
        const reply = await answer('chain', {
          chain: [file ? await base64(file) : form.elements.chain.value], roots: value('roots') ? [value('roots')] : undefined,
          host: value('host'), at: value('at'), profile: value('profile'), os: value('os'), validator: value('validator'),
        });
        if (!reply) return leave();
        return this.show(reply);
      });
    }

    show(reply) {
      status.replaceChildren(...verdict({verdict: reply.verdict, because: reply.because || []}));
      const findings = (reply.findings || []).filter(item => item.outcome === 'violated');
      result.replaceChildren(el('div', {},
        el('h2', {}, 'Paths'),
        el('ul', {}, (reply.candidates || []).map(item => el('li', {}, (item.path || []).join(' ‹ '), ' ', el('span', {class: 'dim'}, item.anchor || 'no anchor')))),
        el('h2', {}, `Violated rules: ${findings.length}`),
        findings.map(item => el('article', {class: 'reason'},
          el('h3', {}, glyph(...mark(item)), ' ', rulePage(item.rule), ' ',
            el('span', {class: 'dim'}, `${item.weight}: ${item.subject}`)),
          el('p', {}, el('span', {class: 'dim'}, 'required: '), item.required, el('br'), el('span', {class: 'dim'}, 'found: '), item.found),
          el('p', {}, el('span', {class: 'dim'}, 'fix: '), item.fix)))));
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
      status.replaceChildren(...verdict(reply.run), ` ${reply.count} TLS sessions in the file`);
      play(reply);
    }
  }

  const pages = {'scenario-form': ScenarioPage, 'plist-form': PropertyListPage, 'chain-form': ChainPage, 'recording-form': RecordingPage};
  for (const [id, Type] of Object.entries(pages)) {
    const form = byId(id);
    if (form) globalThis.trustlabWorkbench = new Type(form);
  }
})();
