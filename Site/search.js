// Searches the index: every word of the query must occur in an entry.
'use strict';
(() => {
  const root = document.documentElement.dataset.root;
  const most = 60;
  const form = document.getElementById('search');
  const [status, list] = ['search-status', 'search-result'].map(id => document.getElementById(id));
  const entries = trustlabIndex.map(([kind, name, path, summary, text]) => (
    {kind, name, path, summary, low: name.toLowerCase(), all: [name, summary, text].join(' ').toLowerCase()}));

  function points(entry, words, query) {
    if (!words.every(word => entry.all.includes(word))) return 0;
    if (entry.low === query) return 1000;
    const inName = words.filter(word => entry.low.includes(word)).length;
    return 1 + 20 * inName + (entry.low.startsWith(words[0]) ? 30 : 0) - Math.min(10, entry.low.length / 20);
  }

  function show() {
    const query = form.elements.words.value.trim().toLowerCase();
    const words = query.split(/\s+/).filter(Boolean);
    const found = words.length ? entries.map(entry => ({entry, rank: points(entry, words, query)})).filter(item => item.rank > 0) : [];
    found.sort((left, right) => right.rank - left.rank);
    status.textContent = words.length ? `${found.length} results` + (found.length > most ? `, the first ${most} are shown` : '') : '';
    list.replaceChildren(...found.slice(0, most).map(({entry}) => {
      const link = document.createElement('a');
      link.href = root + entry.path;
      link.textContent = entry.name;
      const kind = document.createElement('span');
      kind.className = 'kind';
      kind.textContent = entry.kind;
      const summary = document.createElement('p');
      summary.className = 'dim';
      summary.textContent = entry.summary.length > 220 ? entry.summary.slice(0, 219) + '…' : entry.summary;
      const item = document.createElement('li');
      item.append(link, ' ', kind, summary);
      return item;
    }));
  }

  form.addEventListener('submit', event => { event.preventDefault(); show(); });
  form.addEventListener('input', show);
  form.elements.words.value = new URLSearchParams(location.search).get('words') || '';
  show();
})();
