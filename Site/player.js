// Shows a run: the diagram, its steps, the bytes, and who knows what. Every text comes from the engine's JSON.
'use strict';
(() => {
  const root = document.documentElement.dataset.root;
  const SVG = 'http://www.w3.org/2000/svg';
  const depths = ['story', 'fields', 'numbers'];
  const glyphs = {satisfied: '✓', 'not-applicable': '·', 'not-evaluated': '·', unknown: '?'};
  const verdicts = {accepted: ['✓', 'good'], refused: ['✗', 'bad']};
  const goalGlyphs = {prevented: ['✓', 'good'], detected: ['!', 'warning'], later: ['◐', 'warning'], possible: ['✗', 'bad']};

  // Elements are built from nodes, never from markup, so that no text can become script.
  function build(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? '' : value);
    }
    for (const child of children.flat(9)) if (child !== null && child !== undefined && child !== '') node.append(child);
    return node;
  }
  const el = (name, attributes, ...children) => build(document.createElement(name), attributes, children);
  const shape = (name, attributes, ...children) => build(document.createElementNS(SVG, name), attributes, children);
  const rulePage = id => el('a', {href: root + 'rules/' + encodeURIComponent(id) + '.html'}, el('code', {}, id));
  const glyph = (text, style) => el('span', {class: style, 'aria-hidden': 'true'}, text);
  // The mark of a finding: a violation that only advises refuses nothing.
  const mark = ({outcome, weight}) => outcome !== 'violated' ? [glyphs[outcome], 'dim'] : weight === 'decides' ? ['✗', 'bad'] : ['!', 'warning'];

  // A verdict with the rules that decided, as a flat list of nodes.
  const verdictLine = ({verdict, because}, note = ' ') => [
    glyph(...(verdicts[verdict] || ['…', 'warning'])), ' ', el('b', {}, verdict), note, ...because.flatMap(rule => [rulePage(rule), ' '])];
  // A range of bytes, whose end is exclusive, in words.
  const byteRange = (start, end) => end <= start ? 'no bytes' : end === start + 1 ? `byte ${start}` : `bytes ${start}–${end - 1}`;

  // Long lists are built when they are opened, or printed.
  const fillers = new WeakMap();
  function unfold(node) {
    const fill = fillers.get(node);
    fillers.delete(node);
    if (fill) node.append(fill());
  }
  function folded(isOpen, summary, fill) {
    const node = el('details', {open: isOpen, ontoggle: () => unfold(node)}, el('summary', {}, summary));
    fillers.set(node, fill);
    if (isOpen) unfold(node);
    return node;
  }

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    const data = JSON.parse(await new Response(stream).text());
    const sentences = [...document.querySelectorAll('#transcript li')].map(item => item.querySelector('.dim'));
    data.run.steps.forEach((step, index) => {
      step.narration = sentences[index] ? sentences[index].textContent : '';
      for (const name of ['bytes', 'fields', 'plaintextFields']) {
        if (typeof step[name] === 'number') step[name] = data.run.steps[step[name]][name];
        else if (name !== 'bytes' && step[name]) ranged(step[name], 0);
      }
    });
    return data;
  }

  // Gives each field its range. A number is the length of a field that begins where the one before it ends.
  function ranged(fields, start) {
    for (const field of fields) {
      if (typeof field.range === 'number') field.range = [start, start + field.range];
      ranged(field.children || [], field.range[0]);
      start = field.range[1];
    }
  }

  // Lines of at most so many columns; a word that is longer is broken.
  function wrapped(text, columns) {
    const lines = [];
    let line = '';
    for (let word of text.split(' ')) {
      while (word.length > columns) {
        if (line) lines.push(line);
        line = '';
        const mark = Math.max(...['_', '.', '-', '/'].map(sign => word.lastIndexOf(sign, columns - 1)));
        const end = mark > 2 ? mark + 1 : columns;
        lines.push(word.slice(0, end));
        word = word.slice(end);
      }
      if (line && line.length + 1 + word.length > columns) {
        lines.push(line);
        line = word;
      } else line = line ? line + ' ' + word : word;
    }
    if (line) lines.push(line);
    return lines;
  }

  const isLeft = (left, right) => left < right;

  // The sequence diagram as SVG, as wide as its place.
  class Diagram {
    constructor(run, width, select, firstDifference) {
      this.run = run;
      this.width = Diagram.fitting(width);
      this.select = select;
      this.firstDifference = firstDifference;
      this.font = this.width > 760 ? 15 : this.width > 480 ? 13.5 : 12;
      this.column = this.font * 0.605;
      this.line = Math.round(this.font * 1.35);
      this.lanes = run.diagram.lanes;
      this.y = 6;
      this.rows = [];
      const margin = 3.2 * this.column;
      const inset = Math.min(90, (this.width - margin) / (2 * this.lanes.length));
      const span = this.width - margin - 2 * inset;
      const gaps = Math.max(1, this.lanes.length - 1);
      this.gap = span / gaps;
      this.x = this.lanes.map((_, index) => this.lanes.length === 1 ? this.width / 2 : margin + inset + index * this.gap);
      this.margin = margin;
      this.shapes = shape('g');
      this.draw();
    }

    static fitting(width) { return Math.max(280, Math.floor(width)); }

    text(lines, x, anchor, style) {
      return lines.map((line, index) => shape('text', {
        x, y: this.y + this.line * (index + 1) - this.font * 0.3, 'text-anchor': anchor, class: style,
      }, line));
    }

    box(lines, centre, style) {
      const width = Math.max(...lines.map(line => line.length)) * this.column + 10;
      const left = Math.min(Math.max(centre - width / 2, this.margin), this.width - width - 2);
      const height = lines.length * this.line + 8;
      const parts = [
        shape('rect', {x: left, y: this.y, width, height, rx: 5, class: 'box ' + (style || '')}),
        (this.y += 3, this.text(lines, left + width / 2, 'middle', style)),
      ];
      this.y += height + 3;
      return parts;
    }

    draw() {
      const columns = Math.floor((Math.min(this.gap, 240) - 6) / this.column);
      const heads = this.lanes.map(lane => wrapped(lane.label, Math.max(8, columns)));
      const top = this.y;
      let bottom = top;
      heads.forEach((lines, index) => {
        this.y = top;
        this.shapes.append(...this.box(lines, this.x[index], 'strong').flat());
        bottom = Math.max(bottom, this.y);
      });
      const start = this.y = bottom;
      for (const row of this.run.diagram.rows) this.row(row);
      this.y += 10;
      const lanes = this.lanes.map((lane, index) => shape('path', {
        class: 'lane', d: `M${this.x[index]} ${start - 4}V${this.y}`,
        'stroke-dasharray': lane.party === 'eavesdropper' ? '3 5' : null,
      }));
      const names = this.lanes.map(lane => lane.label).join(', ');
      this.svg = shape('svg', {
        width: this.width, height: this.y + 4, viewBox: `0 0 ${this.width} ${this.y + 4}`, class: 'diagram', role: 'group',
        'aria-label': `Sequence diagram of ${names}. The list of all steps has the same content as text.`,
        'font-size': this.font,
      }, lanes, this.shapes);
    }

    row(row) {
      this.y += 6;
      const top = this.y;
      if (row.kind === 'heading') {
        const lines = row.lines.flatMap(line => wrapped(line, Math.floor(this.width / this.column) - 6));
        this.shapes.append(...this.box(lines, this.width / 2, 'band').flat());
        return;
      }
      const step = this.run.steps[row.step];
      const parts = row.kind === 'message' ? this.message(row, step)
        : row.kind === 'arrival' ? this.arrival(row, step) : this.note(row, step);
      const number = row.kind === 'arrival' ? '' : String(step.number);
      const middle = (top + this.y) / 2 + this.font * 0.35;
      const isFirst = row.step === this.firstDifference;
      const group = shape('g', {
        class: 'row', role: this.select ? 'button' : null, tabindex: this.select ? -1 : null,
        'aria-label': this.select ? `Step ${step.number}: ${Player.actors(step)}, ${step.title}` : null,
        onclick: this.select ? () => this.select(row.step) : null,
        onkeydown: this.select ? event => { if (['Enter', ' '].includes(event.key)) { event.preventDefault(); this.select(row.step); } } : null,
      },
      shape('rect', {x: 1, y: top - 3, width: this.width - 2, height: this.y - top + 5, rx: 4, class: isFirst ? 'hit differs' : 'hit'}),
      shape('text', {x: this.margin - this.column * 0.7, y: middle, 'text-anchor': 'end', class: 'dim'}, number), parts.flat(9));
      this.rows.push({step: row.step, group});
      this.shapes.append(group);
    }

    arrow(from, to, style, isDouble) {
      const [start, end] = [this.x[from], this.x[to]];
      const direction = isLeft(end, start) ? -1 : 1;
      const base = end - direction * 11;
      const y = this.y;
      return [
        (isDouble ? [-2, 2] : [0]).map(offset => shape('path', {class: 'arrow ' + style, d: `M${start} ${y + offset}H${base}`})),
        shape('path', {class: 'head ' + style, d: `M${end - direction} ${y}L${base} ${y - 5.5}V${y + 5.5}Z`}),
        shape('circle', {class: 'head ' + style, cx: start, cy: y, r: 3}),
      ];
    }

    label(text, from, to, style) {
      const reach = Math.abs(this.x[to] - this.x[from]);
      const room = Math.min(this.width - this.margin - 8, Math.max(reach - 16, 230));
      const lines = wrapped(text, Math.max(12, Math.floor(room / this.column)));
      const width = Math.max(...lines.map(line => line.length)) * this.column;
      const centre = (this.x[from] + this.x[to]) / 2;
      const x = Math.min(Math.max(centre, this.margin + width / 2 + 2), this.width - width / 2 - 3);
      const ground = shape('rect', {
        x: x - width / 2 - 3, y: this.y + 2, width: width + 6, height: lines.length * this.line - 1, class: 'ground',
      });
      const parts = [ground, this.text(lines, x, 'middle', style)];
      this.y += lines.length * this.line + 5;
      return parts;
    }

    message(row, step) {
      const shown = step.encrypted ? ['encrypted'] : row.words ? [row.words] : row.values || [];
      const label = this.label([step.title, ...shown].join(' '), row.from, row.to, step.encrypted ? 'protected' : 'plain');
      const arrow = this.arrow(row.from, row.to, step.encrypted ? 'protected' : 'plain', step.encrypted);
      const eyes = this.lanes.map((lane, index) => {
        const isBetween = index > Math.min(row.from, row.to) && index < Math.max(row.from, row.to);
        if (!isBetween || !['eavesdropper', 'interceptor'].includes(lane.party)) return null;
        return shape('circle', {cx: this.x[index], cy: this.y, r: 4.5, class: step.encrypted ? 'eye blind' : 'eye'});
      });
      this.y += 7;
      return [label, arrow, eyes];
    }

    arrival(row, step) {
      const change = step.interference || {};
      const label = this.label([row.mark, change.message, change.kind].filter(Boolean).join(' '), row.from, row.to, row.style);
      const arrow = this.arrow(row.from, row.to, 'bad', false);
      this.y += 7;
      return [label, arrow];
    }

    note(row, step) {
      const text = [row.mark, row.text === undefined ? step.title : row.text].filter(Boolean).join(' ');
      const room = Math.min(this.width - this.margin - 10, Math.max(this.gap * 0.95, 190), 330);
      return this.box(wrapped(text, Math.floor(room / this.column) - 2), this.x[row.lane], row.style || 'dim');
    }

    // Marks the rows of a step, and dims those behind it.
    mark(step) {
      let current = null;
      for (const {step: own, group} of this.rows) {
        group.classList.toggle('current', own === step);
        group.classList.toggle('future', own > step);
        group.setAttribute('tabindex', own === step ? 0 : -1);
        if (own === step) {
          group.setAttribute('aria-current', 'step');
          current = current || group;
        } else group.removeAttribute('aria-current');
      }
      return current;
    }
  }

  // Fields of a message, and its bytes: a field that has the focus or the pointer lights its bytes.
  class Bytes {
    constructor(name, hex, fields, links) {
      this.cells = [];
      this.count = 0;
      const lines = [];
      const bytes = hex.match(/../g) || [];
      for (let start = 0; start < bytes.length; start += 16) {
        const cells = bytes.slice(start, start + 16).map(byte => {
          const cell = el('span', {}, byte);
          this.cells.push(cell);
          return cell;
        });
        lines.push(el('span', {class: 'dim offset'}, start.toString(16).padStart(4, '0')), cells, '\n');
      }
      const label = `${name}: ${bytes.length} bytes`;
      this.node = el('div', {class: 'bytes'},
        el('h4', {}, label),
        el('div', {class: 'split'},
          el('div', {class: 'tree', onkeydown: event => this.move(event)}, this.tree(fields, links)),
          el('pre', {class: 'hex', tabindex: 0, 'aria-label': label}, lines)));
    }

    // The tree is one stop of the Tab key; the arrow keys move within it.
    move(event) {
      const fields = [...event.currentTarget.querySelectorAll('.field')];
      const index = fields.indexOf(event.target);
      const next = fields[index + {ArrowDown: 1, ArrowUp: -1}[event.key]];
      if (index < 0 || !next) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }

    tree(fields, links) {
      return el('ul', {}, fields.map(field => {
        const [start, end] = field.range;
        const page = links[field.name] || links[field.meaning];
        const light = isOn => () => this.cells.slice(start, end).forEach(cell => cell.classList.toggle('lit', isOn));
        const label = [
          el('code', {}, field.name), field.meaning === undefined ? '' : ' ' + field.meaning,
          el('span', {class: 'dim'}, ' ' + byteRange(start, end)),
        ];
        const button = el('button', {
          class: 'field', type: 'button', tabindex: this.count++ ? -1 : 0, onmouseenter: light(true), onmouseleave: light(false), onfocus: light(true),
          onblur: light(false),
          onclick: () => { const first = this.cells[start]; if (first) first.scrollIntoView({block: 'nearest'}); },
        }, label);
        return el('li', {}, button, page ? [' ', el('a', {href: root + page}, 'explained')] : null,
          field.children && field.children.length ? this.tree(field.children, links) : null);
      }));
    }
  }

  class Player {
    constructor(place, data) {
      this.run = data.run;
      this.links = data.links;
      this.step = 0;
      this.depth = 'story';
      this.initial = this.initialKnowledge();
      this.place = place;
      this.frame(data);
      this.ending = new AbortController();
      const {signal} = this.ending;
      addEventListener('hashchange', () => this.readHash(), {signal});
      addEventListener('keydown', event => this.key(event), {signal});
      addEventListener('beforeprint', () => this.reveal(), {signal});
      this.resizing = new ResizeObserver(() => this.redraw());
      this.resizing.observe(this.diagramPlace);
      this.readHash();
    }

    // Leaves the place to another run.
    close() {
      this.ending.abort();
      this.resizing.disconnect();
    }

    static actors(step) {
      return step.to && !step.interference ? `${step.from} → ${step.to}` : step.from;
    }

    frame(data) {
      const button = (id, text, label, action) => el('button', {id, type: 'button', 'aria-label': label, onclick: action}, text);
      const last = this.run.steps.length - 1;
      this.status = el('output', {id: 'position', 'aria-live': 'off'});
      this.buttons = [
        button('first', ['«', el('span', {}, ' First')], 'First step', () => this.go(0)), button('back', '‹ Back', 'Back, the previous step', () => this.go(this.step - 1)),
        this.status, button('next', 'Next ›', 'Next step', () => this.go(this.step + 1)),
        button('last', [el('span', {}, 'Last '), '»'], 'Last step', () => this.go(last)),
      ];
      this.depthInputs = depths.map(depth => el('input', {
        type: 'radio', name: 'depth', value: depth, id: 'depth-' + depth, checked: depth === this.depth,
        onchange: () => this.go(this.step, depth),
      }));
      const chooser = el('fieldset', {class: 'depth'}, el('legend', {}, 'Depth'),
        this.depthInputs.map((input, index) => [input, el('label', {for: input.id}, depths[index])]));
      this.diagramPlace = el('div', {class: 'diagram-place', tabindex: 0, role: 'region', 'aria-label': 'Diagram'});
      this.card = el('section', {class: 'card', 'aria-live': 'polite', 'aria-label': 'Current step'});
      this.deep = el('div', {class: 'deep'});
      this.knowledge = el('div', {class: 'knowledge'});
      this.questions = data.questions || [];
      // A link to a step is about that step, and a run of one step begins with its result.
      const asks = Boolean(document.getElementById('verdict') && this.questions.length && last && !location.hash && !location.search);
      document.documentElement.classList.toggle('predicting', asks);
      this.result = el('p', {id: 'run-verdict', tabindex: -1}, 'Verdict: hidden until you answer the questions or reach the last step. ',
        el('button', {type: 'button', onclick: () => { this.reveal(); this.result.focus(); }}, 'Show the verdict'));
      if (!asks) this.reveal();
      this.place.replaceChildren(...[
        this.prediction(asks),
        el('div', {class: 'toolbar', role: 'toolbar', 'aria-label': 'Steps'}, this.buttons, chooser),
        this.result,
        el('div', {class: 'stage'}, this.diagramPlace, el('div', {class: 'side', tabindex: 0, role: 'region', 'aria-label': 'Step'},
          this.card, el('section', {class: 'who'}, el('h3', {}, 'Who knows what after this step'), this.knowledge))),
        this.deep,
        this.chain(), this.goals(), this.cost(),
      ].filter(Boolean));
    }

    // Until a reader has predicted the result, the page hides it.
    reveal() {
      const {layer} = this.run;
      document.documentElement.classList.remove('predicting');
      this.result.replaceChildren('Verdict: ', ...verdictLine(this.run, layer ? ` (layer ${layer}) ` : ' '));
    }

    readHash() {
      const match = /^#step=(\d+)(?:&depth=(\w+))?$/.exec(location.hash);
      if (match && depths.includes(match[2])) this.depth = match[2];
      this.show(match ? Number(match[1]) - 1 : this.step);
    }

    go(step, depth = this.depth) {
      this.depth = depth;
      this.show(step);
      history.replaceState(null, '', `#step=${this.step + 1}` + (depth === 'story' ? '' : '&depth=' + depth));
    }

    // A click on a message also shows its bytes.
    choose(step) {
      this.go(step, this.depth === 'story' && this.run.steps[step].bytes ? 'fields' : this.depth);
    }

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.target.closest('input[type=text], input[type=search], input:not([type]), select, textarea, .wide, pre')) return;
      const last = this.run.steps.length - 1;
      const target = {ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: last}[event.key];
      if (target === undefined || event.target.closest('fieldset')) return;
      event.preventDefault();
      this.go(target);
    }

    show(step) {
      this.step = Math.min(Math.max(step, 0), this.run.steps.length - 1);
      this.showStep();
    }

    redraw() {
      const width = this.diagramPlace.clientWidth - 2;
      if (this.diagram && this.diagram.width === Diagram.fitting(width)) return;
      this.diagram = new Diagram(this.run, width, step => this.choose(step));
      this.diagramPlace.replaceChildren(this.diagram.svg);
      this.markRow();
    }

    markRow() {
      const current = this.diagram && this.diagram.mark(this.step);
      if (!current) return;
      const [box, place] = [current.getBoundingClientRect(), this.diagramPlace.getBoundingClientRect()];
      if (box.top < place.top) this.diagramPlace.scrollTop += box.top - place.top - 40;
      if (box.bottom > place.bottom) this.diagramPlace.scrollTop += box.bottom - place.bottom + 40;
    }

    showStep() {
      const {run, step} = this;
      const current = run.steps[step];
      if (!current) return;
      this.depthInputs.forEach(input => { input.checked = input.value === this.depth; });
      this.status.textContent = `Step ${step + 1} of ${run.steps.length}`;
      this.buttons[0].disabled = this.buttons[1].disabled = step === 0;
      this.buttons[3].disabled = this.buttons[4].disabled = step === run.steps.length - 1;
      if (step > 0 && step === run.steps.length - 1) this.reveal();
      this.card.replaceChildren(...this.cardParts(current));
      this.deep.replaceChildren(...this.deepParts(current));
      this.knowledge.replaceChildren(...this.knowledgeParts());
      this.markRow();
    }

    cardParts(step) {
      const said = [['says', step.says], ['arrives', step.arrives], ['shown to the user', step.shown]].filter(pair => pair[1]);
      const findings = (step.findings || []).map(index => this.run.findings[index]);
      const violated = findings.filter(finding => finding.outcome === 'violated');
      return [
        el('p', {class: 'actors'}, Player.actors(step), step.connection ? ` [${step.connection}]` : '',
          step.encrypted ? el('span', {class: 'protected'}, ' 🔒 encrypted') : null),
        el('h3', {id: 'step-title'}, step.title),
        el('p', {id: 'step-narration'}, step.narration),
        said.map(([kind, words]) => el('p', {}, el('span', {class: 'dim'}, kind + ': '), el('b', {}, words))),
        violated.map(finding => this.finding(finding)),
        this.learnt(step),
        this.otherFindings(findings),
      ].flat(9).filter(Boolean);
    }

    finding(finding) {
      const rule = this.run.rules[finding.rule];
      const values = [['required', finding.required], ['found', finding.found]].filter(pair => pair[1]);
      return el('p', {class: 'finding'},
        glyph(...mark(finding)), ' ', rulePage(rule.id), ' ',
        el('span', {class: 'dim'}, `${finding.outcome}, ${finding.weight}: ${finding.subject}`),
        values.map(([name, value]) => [el('br'), el('span', {class: 'dim'}, name + ': '), value]),
        finding.outcome === 'violated' ? [el('br'), rule.statement, el('br'), el('span', {class: 'dim'}, 'fix: '), rule.fix] : null);
    }

    otherFindings(findings) {
      const rest = findings.filter(finding => finding.outcome !== 'violated');
      if (!rest.length) return null;
      const held = rest.filter(finding => finding.outcome === 'satisfied').length;
      return folded(this.depth !== 'story', `${held ? '✓' : '·'} ${held} satisfied, ${rest.length - held} not applicable or not evaluated`,
        () => el('div', {class: 'findings'}, rest.map(finding => this.finding(finding))));
    }

    learnt(step) {
      const own = step.learnt || [];
      if (!own.length) return null;
      return el('ul', {class: 'learnt'}, own.map(item => el('li', {},
        el('b', {}, item.party), item.canCompute ? ' can compute ' : ' learns ', this.value(item.value),
        el('span', {class: 'dim'}, item.how ? ': ' + item.how : ''))));
    }

    value(name) {
      const page = this.links[name];
      return page ? el('a', {href: root + page}, el('code', {}, name)) : el('code', {}, name);
    }

    deepParts(step) {
      if (this.depth === 'story') return [];
      const parts = [];
      if (step.bytes) parts.push(new Bytes(step.title, step.bytes, step.fields || [], this.links).node);
      if (step.plaintext) parts.push(new Bytes('plaintext', step.plaintext, step.plaintextFields || [], this.links).node);
      const changes = step.interference && step.interference.changes || [];
      if (changes.length) {
        parts.push(el('h4', {}, 'Changes'), el('ul', {}, changes.map(change => el('li', {},
          el('code', {}, change.field), ' ', Object.entries(change).filter(pair => pair[0] !== 'field')
            .map(([name, value]) => el('span', {class: 'break'}, `${name} ${value} `))))));
      }
      if (this.depth === 'numbers') parts.push(...this.numbers(step));
      if (!parts.length) parts.push(el('p', {class: 'dim'}, 'This step has no bytes and no values.'));
      return parts;
    }

    numbers(step) {
      const values = this.run.values.filter(value => step.values.includes(value.name));
      return values.map(value => el('article', {class: 'value'}, el('h4', {}, this.value(value.name)),
        value.derivation.map(item => el('p', {class: 'dim'}, item.function
          ? `${item.kind}: ${item.function}, from ${item.from.join(', ')}` : [item.kind, item.by].filter(Boolean).join(' by '))),
        value.bytes ? el('pre', {tabindex: 0, class: 'break'}, value.bytes) : null,
        value.reproduce ? el('pre', {tabindex: 0}, value.reproduce.join('\n')) : null));
    }

    // What the parties know that no step taught them.
    initialKnowledge() {
      const taught = new Set(this.run.steps.flatMap(step => (step.learnt || []).map(item => item.party + '\n' + item.value)));
      return Object.entries(this.run.knowledge || {}).map(([party, values]) =>
        [party, values.filter(value => !taught.has(party + '\n' + value))]);
    }

    knowledgeParts() {
      const known = new Map(this.initial.map(([party, values]) =>
        [party, values.map(value => ({value, how: 'from the start', isNew: false}))]));
      this.run.steps.slice(0, this.step + 1).forEach((step, index) => {
        for (const item of step.learnt || []) {
          if (!known.has(item.party)) known.set(item.party, []);
          known.get(item.party).push({
            value: item.value, how: `step ${index + 1}` + (item.how ? ': ' + item.how : ''), isNew: index === this.step,
          });
        }
      });
      return [...known].map(([party, values]) => el('section', {}, el('h4', {}, party),
        values.length ? el('ul', {}, values.map(item => el('li', {class: item.isNew ? 'new' : null},
          item.isNew ? el('span', {class: 'good'}, '+ new ') : null, this.value(item.value), ' ',
          el('span', {class: 'dim'}, item.how)))) : el('p', {class: 'dim'}, 'nothing')));
    }

    // Questions that the engine wrote and graded: the page looks up the grade of the chosen option.
    prediction(isOpen) {
      if (!this.questions.length) return null;
      const answered = new Set();
      return el('details', {id: 'prediction', open: isOpen}, el('summary', {}, el('h3', {}, 'Predict the result')),
        this.questions.map((question, index) => {
          const grade = el('p', {role: 'status', class: 'grade'});
          const show = option => {
            grade.replaceChildren(...[
              option.isRight ? glyph('✓', 'good') : glyph('✗', 'bad'), ' ',
              el('b', {}, option.isRight ? 'Right.' : 'Not right.'), ' ', option.remarks.join(' ')]);
            if (answered.add(index).size === this.questions.length) this.reveal();
          };
          return el('fieldset', {class: 'question'}, el('legend', {}, question.text),
            question.given.length ? el('p', {class: 'dim'}, question.given.join(', ')) : null,
            question.options.map((option, place) => {
              const id = `question-${index}-${place}`;
              return el('div', {}, el('input', {type: 'radio', name: `question-${index}`, id, onchange: () => show(option)}), ' ',
                el('label', {for: id}, option.text, option.detail ? el('span', {class: 'dim'}, ' ' + option.detail) : null));
            }), grade);
        }));
    }

    chain() {
      const candidates = this.run.chain || [];
      if (!candidates.length) return null;
      return el('details', {id: 'chain', open: true}, el('summary', {}, el('h3', {}, 'Certificate chain')),
        candidates.map(candidate => this.candidate(candidate)));
    }

    candidate(candidate) {
      const findings = candidate.findings.map(index => this.run.findings[index]);
      const entries = candidate.path.map((name, index) => ({name, findings: findings.filter(finding =>
        finding.subject === `certificate ${index} (${name})`)}));
      const other = findings.filter(finding => !/^certificate \d+ \(/.test(finding.subject));
      let tree = null;
      entries.forEach((entry, index) => {
        const isAnchor = candidate.anchor && index === entries.length - 1;
        const note = isAnchor ? candidate.anchor + ' anchor' : index === 0 ? 'leaf' : '';
        tree = el('ul', {class: 'chain'}, el('li', {}, this.checked(entry.name, note, entry.findings), index ? tree : null));
      });
      const title = [candidate.connection, candidate.host].filter(Boolean).join(': ');
      return el('div', {}, title ? el('h4', {}, title) : null, tree, other.length ? this.checked('path and host', '', other) : null);
    }

    checked(name, note, findings) {
      const violated = findings.filter(finding => finding.outcome === 'violated');
      const worst = violated.find(finding => finding.weight === 'decides') || violated[0];
      const state = worst ? mark(worst) : ['✓', 'good'];
      const summary = [glyph(...state), ' ', el('b', {}, name), ' ', el('span', {class: 'dim'}, note), ' ', violated.length
        ? violated.map(finding => [el('code', {class: mark(finding)[1]}, this.run.rules[finding.rule].id),
          finding.weight === 'decides' ? ' ' : ` ${finding.weight} `])
        : el('span', {class: 'dim'}, `${findings.length} findings, none violated`)];
      const sorted = [...violated, ...findings.filter(finding => finding.outcome !== 'violated')];
      return folded(false, summary, () => el('div', {class: 'findings'}, sorted.map(finding => this.finding(finding))));
    }

    goals() {
      const {run} = this;
      if (!run.goals) return null;
      return el('details', {id: 'goals', open: true}, el('summary', {}, el('h3', {}, 'Goals and the attempts behind them')),
        Object.entries(run.goals).map(([goal, state]) => {
          const attempts = (run.attempts || []).filter(attempt => attempt.goal === goal);
          return el('section', {class: 'goal'},
            el('h4', {}, glyph(...(goalGlyphs[state] || ['·', 'dim'])), ` ${goal}: ${state}`),
            el('p', {class: 'dim'}, run.goalReasons && run.goalReasons[goal]),
            attempts.length ? el('ul', {}, attempts.map(attempt => el('li', {}, attempt.title, ': ',
              el('b', {}, attempt.result), ' ', (attempt.because || []).map(rule => [rulePage(rule), ' '])))) : null);
        }));
    }

    cost() {
      const {cost} = this.run;
      if (!cost || !cost.parties) return null;
      const names = Object.keys(Object.values(cost.parties)[0] || {});
      return el('details', {id: 'cost'}, el('summary', {}, el('h3', {}, 'Cost')),
        el('p', {}, `${cost.bytes} bytes, ${cost.roundTrips} round trips`),
        el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Cost'}, el('table', {},
          el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'party'), names.map(name => el('th', {scope: 'col'}, name)))),
          el('tbody', {}, Object.entries(cost.parties).map(([party, row]) => el('tr', {}, el('th', {scope: 'row'}, party),
            names.map(name => el('td', {}, String(row[name])))))))));
    }
  }

  // Two runs side by side. The other pages pass their data on, because pages that are files cannot fetch each other.
  class Comparison {
    constructor(form) {
      this.paths = new Map(trustlabCases);
      this.names = new Map(trustlabCases.map(([name, path]) => [path, name]));
      form.querySelector('datalist').replaceChildren(...trustlabCases.map(([name]) => el('option', {value: name})));
      this.form = form;
      this.status = document.getElementById('compare-status');
      this.result = document.getElementById('compare-result');
      form.addEventListener('submit', event => { event.preventDefault(); this.start(); });
      const query = new URLSearchParams(location.search);
      for (const side of ['left', 'right']) form.elements[side].value = this.names.get(query.get(side)) || '';
      if (form.elements.left.value && form.elements.right.value) this.start();
    }

    async start() {
      const names = ['left', 'right'].map(side => this.form.elements[side].value);
      const unknown = names.find(name => !this.paths.has(name));
      if (unknown !== undefined) {
        this.status.textContent = `There is no case '${unknown}'.`;
        return;
      }
      this.status.textContent = 'Loading…';
      const paths = names.map(name => this.paths.get(name));
      const runs = await Promise.all(paths.map(path => this.data(path)));
      history.replaceState(null, '', `?left=${paths[0]}&right=${paths[1]}`);
      const part = Comparison.show(this.result, names, paths, runs.map(data => data.run));
      this.status.textContent = Comparison.words(part);
    }

    static words(part) { return part === null ? 'All steps are the same.' : `The runs differ from step ${part + 1} on.`; }

    data(path) {
      return new Promise(resolve => {
        const frame = el('iframe', {src: root + path + '?data', hidden: true, title: 'data of a run'});
        const receive = event => {
          if (event.source !== frame.contentWindow || !event.data.trustlab) return;
          removeEventListener('message', receive);
          frame.remove();
          resolve(event.data.trustlab);
        };
        addEventListener('message', receive);
        document.body.append(frame);
      });
    }

    // Everything about a step that a reader sees, without its bytes.
    static summary(run, step) {
      if (!step) return '';
      const violated = (step.findings || []).map(index => run.findings[index]).filter(finding => finding.outcome === 'violated')
        .map(finding => run.rules[finding.rule].id);
      return JSON.stringify([step.from, step.to, step.title, step.narration, step.says, violated]);
    }

    // Fills a place with two runs; returns the index of the first step that differs, or null.
    static show(place, names, paths, [left, right]) {
      const count = Math.max(left.steps.length, right.steps.length);
      let part = 0;
      while (part < count && Comparison.summary(left, left.steps[part]) === Comparison.summary(right, right.steps[part])) part += 1;
      const columns = [left, right].map((run, index) => {
        const picture = el('div', {class: 'diagram-place whole'});
        const column = el('section', {}, el('h2', {}, paths[index] ? el('a', {href: root + paths[index]}, names[index]) : names[index]),
          el('p', {}, verdictLine(run)), picture);
        return {run, picture, column};
      });
      place.replaceChildren(Comparison.table(names, left, right), el('div', {class: 'pair'}, columns.map(item => item.column)));
      for (const {run, picture} of columns) {
        Comparison.draw(run, picture, part);
        // A scroll bar that appears, or a turned phone, changes the width.
        new ResizeObserver(() => Comparison.draw(run, picture, part)).observe(picture);
      }
      const step = run => run.steps[part];
      if (part < count) {
        place.append(el('h2', {}, `Step ${part + 1}`), el('div', {class: 'pair'}, [left, right].map(run => el('section', {class: 'card'},
          step(run) ? [el('p', {class: 'actors'}, Player.actors(step(run))), el('h3', {}, step(run).title), el('p', {}, step(run).narration)]
            : el('p', {class: 'dim'}, 'The run has ended.')))));
      }
      return part < count ? part : null;
    }

    static draw(run, place, part) {
      const width = place.clientWidth - 2;
      const drawn = place.querySelector('svg');
      if (drawn && drawn.viewBox.baseVal.width === Diagram.fitting(width)) return;
      place.replaceChildren(new Diagram(run, width, null, part).svg);
    }

    static table(names, left, right) {
      const text = value => Array.isArray(value) ? value.map(item => item.name || item).join(', ') : String(value === null ? '–' : value);
      const rows = ['os', 'clock', 'verdict', 'layer', 'because', 'path', 'cipherSuite', 'trustResult', 'errors', 'content']
        .map(name => [name, text(left[name]), text(right[name])])
        .concat(Object.keys(left.goals).map(goal => [goal, left.goals[goal], right.goals[goal]]))
        .concat([['steps', String(left.steps.length), String(right.steps.length)]]);
      return el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Differences'}, el('table', {},
        el('thead', {}, el('tr', {}, ['', ...names, ''].map(name => el(name ? 'th' : 'td', {scope: name ? 'col' : null}, name)))),
        el('tbody', {}, rows.map(([name, one, other]) => el('tr', {class: one === other ? null : 'differs'},
          el('th', {scope: 'row'}, name), el('td', {}, one), el('td', {}, other), el('td', {}, one === other ? '' : '≠ differs'))))));
    }
  }

  // Paper shows what is folded.
  function printing() {
    let closed = [];
    addEventListener('beforeprint', () => {
      closed = [...document.querySelectorAll('details:not([open])')];
      closed.forEach(node => {
        unfold(node);
        node.open = true;
      });
    });
    addEventListener('afterprint', () => closed.forEach(node => { node.open = false; }));
  }

  // Each other case of the scenario gets a link that compares the two runs.
  function comparing() {
    const cases = document.getElementById('cases');
    if (!cases) return;
    const own = cases.dataset.path;
    for (const link of cases.querySelectorAll('li > a')) {
      const other = own.slice(0, own.lastIndexOf('/') + 1) + link.getAttribute('href');
      link.after(' ', el('a', {class: 'small', href: `${root}compare.html?left=${own}&right=${other}`}, 'compare'));
    }
  }

  async function start() {
    printing();
    comparing();
    const form = document.getElementById('compare');
    if (form) return new Comparison(form);
    const element = document.getElementById('run');
    const place = document.getElementById('player');
    if (!element || !place) return null;
    const data = await unpacked(element.textContent);
    if (location.search === '?data' && parent !== self) return parent.postMessage({trustlab: data}, '*');
    const player = new Player(place, data);
    if (location.search === '?embed') document.documentElement.classList.add('embed');
    return player;
  }

  // The pages that pass inputs to the engine use the same parts.
  globalThis.trustlabPlayer = {el, glyph, mark, rulePage, verdictLine, Player, Comparison};
  start();
})();
