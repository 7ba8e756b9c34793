// Starts GraphiQL on the page that the endpoint serves. A link may bring a query: ?query=…&variables=…

const { React, ReactDOM, GraphiQL } = window;

const given = new URLSearchParams(window.location.search);
const fromLink = (name) => given.get(name) ?? undefined;

const WELCOME = `# Write a query and press Ctrl+Enter (Cmd+Enter).
# Ctrl+Space completes; the book at the left opens the documentation.

{
  events(pageSize: 5) {
    totalCount
    data {
      id
      title_nb
      startDate
      venue {
        name
      }
    }
  }
}
`;

ReactDOM.createRoot(document.getElementById('sandbox')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: window.location.origin + window.location.pathname }),
    defaultQuery: WELCOME,
    query: fromLink('query'),
    variables: fromLink('variables'),
    defaultEditorToolsVisibility: true,
  }),
);
