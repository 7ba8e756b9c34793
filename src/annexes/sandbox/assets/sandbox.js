// Starts GraphiQL on the page that the endpoint serves. A link may contain a query: ?query=…&variables=…
// The tool is large: the page is painted before it is fetched.

const ENDPOINT = window.location.origin + window.location.pathname;

const given = new URLSearchParams(window.location.search);
const fromLink = (name) => given.get(name) ?? undefined;

const WELCOME = `# Write a query, press Ctrl+Enter (Cmd+Enter).
# Ctrl+Space completes; the book opens the
# documentation. The tabs have more examples.

query NextEvents {
  events(pageSize: 5) {
    totalCount
    data {
      id
      title_nb
      startDate
      venue { name }
    }
  }
}
`;

const WEEKEND = `# Saturday and Sunday, each day a row.

query ThisWeekend($filter: Filter) {
  events(filter: $filter, pageSize: 20) {
    totalCount
    data {
      id
      occurrenceID
      title_nb
      startDate
      allDay
      eventLink
      venue { name }
      images { urlSmall alt }
    }
  }
}
`;

const SEARCH = `# A search page: what matches, and what it can be
# narrowed down by. Try searchTerm in the filter, too.

query Search($filter: Filter, $page: Int) {
  events(filter: $filter, page: $page, pageSize: 20) {
    totalCount
    pageInfo { currentPage pageSize totalPages }
    data {
      id
      title_nb
      startDate
    }
    categories(first: 5) { id name_nb hits }
    municipalities(first: 5) { name hits }
  }
}
`;

const EVENT = `# What a page of one event shows.
# desc_nb is HTML that is safe to show.

query OneEvent($id: String!) {
  eventByID(eventID: $id) {
    title_nb
    title_en
    desc_nb
    startDate
    endDate
    venue { name address }
    organizers { name }
    ticketsInformation
    prices { price name_nb }
    repetitions(first: 5) { startDate }
  }
}
`;

/** Examples with values of this very calendar. Without an answer their variables are empty, to be filled in. */
async function examples() {
  const query = '{ events(pageSize: 1) { data { id } categories(first: 1) { id } } }';
  const asked = fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
    signal: AbortSignal.timeout(2_000),
  });
  const { data } = await asked.then((response) => response.json()).catch(() => ({}));
  const { data: [event] = [], categories: [category] = [] } = data?.events ?? {};
  const tab = (query, variables) => ({ query, variables: JSON.stringify(variables, null, 2) });
  return [
    { query: WELCOME },
    tab(WEEKEND, { filter: { period: 'WEEKEND', groupRepetitionsByDay: true } }),
    tab(SEARCH, { filter: category === undefined ? {} : { categories: [category.id] }, page: 0 }),
    tab(EVENT, { id: event?.id ?? '' }),
  ];
}

const BOX = document.getElementById('sandbox');

/** Scripts run in this order. Styles come before the page's own, which adapt them. */
function load(file) {
  const isStyle = file.endsWith('.css');
  const element = isStyle
    ? Object.assign(document.createElement('link'), { rel: 'stylesheet', href: file })
    : Object.assign(document.createElement('script'), { src: file, async: false });
  return new Promise((resolve, reject) => {
    element.addEventListener('load', resolve);
    element.addEventListener('error', () => reject(new Error(file)));
    document.head.insertBefore(element, isStyle ? document.head.querySelector('[rel="stylesheet"]') : null);
  });
}

/** A frame has been painted when a task after its callback runs. */
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

async function start() {
  BOX.querySelector('.loading').hidden = false;
  await painted();
  const asked = examples();
  await Promise.all(BOX.dataset.files.split(' ').map(load));
  const { React, ReactDOM, GraphiQL } = window;
  const query = fromLink('query');
  const variables = fromLink('variables');
  const tabs = await asked;
  ReactDOM.createRoot(BOX).render(
    React.createElement(GraphiQL, {
      // Without incremental delivery, which the endpoint does not have, an answer is one promise.
      fetcher: GraphiQL.createFetcher({ url: ENDPOINT, enableIncrementalDelivery: false }),
      defaultQuery: WELCOME,
      defaultTabs: query === undefined ? tabs : [{ query, variables }, ...tabs],
      query,
      variables,
      defaultEditorToolsVisibility: !window.matchMedia(PHONE).matches,
    }),
  );
  // Optional: typescript.js.
  window.offerTypeScript?.(ENDPOINT);
}

/** Below this width sandbox.css puts the answer below the query. */
const PHONE = '(max-width: 700px)';

/** A key that is bound to false is left to the browser. */
const LEAVE = { name: 'leave', Tab: false, 'Shift-Tab': false };

/** WCAG 2.1.2: Tab indents in an editor; after Escape it leaves, and it always leaves the answer, where there is nothing to indent. */
function letTabLeave(editor) {
  if (editor.getOption('readOnly')) return editor.addKeyMap(LEAVE);
  editor.on('keydown', (_, { key }) => {
    if (key === 'Tab' || key === 'Shift') return;
    editor.removeKeyMap(LEAVE.name);
    if (key === 'Escape') editor.addKeyMap(LEAVE);
  });
  editor.on('blur', () => editor.removeKeyMap(LEAVE.name));
}

const KEYS = document.getElementById('keys').textContent;
const adapted = new WeakSet();

/**
 * GraphiQL gives a tab's role to an element that holds two buttons, of which screen readers then know nothing. Here it is an item of a list,
 * and its first button says whether it is the current one.
 */
function nameTabs() {
  document.querySelector('.graphiql-tabs[role="tablist"]')?.setAttribute('role', 'list');
  document.querySelector('#graphiql-session[role="tabpanel"]')?.setAttribute('role', 'region');
  for (const tab of document.querySelectorAll('.graphiql-tab[role="tab"], .graphiql-tab[aria-selected]')) {
    const isCurrent = tab.getAttribute('aria-selected') === 'true';
    tab.setAttribute('role', 'listitem');
    tab.removeAttribute('aria-selected');
    tab.querySelector('.graphiql-tab-button').setAttribute('aria-current', String(isCurrent));
  }
}

/** GraphiQL makes its editors one after the other. Its query editor cuts long lines off; here it wraps them. */
new MutationObserver(() => {
  nameTabs();
  for (const element of document.querySelectorAll('.graphiql-container .CodeMirror')) {
    const editor = element.CodeMirror;
    if (editor === undefined || adapted.has(editor)) continue;
    adapted.add(editor);
    // GraphiQL names the part of the page, and not the field in it.
    const { ariaLabel } = element.closest('[aria-label]');
    Object.assign(editor.getInputField(), { ariaLabel, ariaDescription: KEYS });
    letTabLeave(editor);
    // A long answer can be scrolled by keys alone.
    if (editor.getOption('readOnly')) {
      const scroller = editor.getScrollerElement();
      scroller.tabIndex = 0;
      scroller.role = 'group';
      scroller.ariaLabel = ariaLabel;
    }
    if (element.closest('.graphiql-query-editor') !== null) editor.setOption('lineWrapping', true);
  }
}).observe(BOX, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });

start();
