// One server of the same questions, as its own documentation begins.
//   node server.mjs mercurius|apollo|yoga|sql again|once|sync FILE
//   node server.mjs array memory FILE
// `again`: every statement selects the matching events, and nothing is cached. `once`: a temporary table has them, and answers are cached for
// a minute. `sync`: the same by better-sqlite3. `memory`: no statements after the start. FILE: a public edition. Listens on PORT.
import { createServer } from 'node:http';
import { createAnswerCache } from './answer-cache.mjs';
import { openArray } from './array.mjs';
import { FACETS, openCalendar, SDL } from './calendar.mjs';

const [kind, way, file] = process.argv.slice(2);
const port = Number(process.env.PORT);
const calendar = way === 'memory' ? null : openCalendar(file, { way, isCached: way !== 'again' });
const resolvers = { Query: { events: (_, asked, _context, info) => calendar.events(asked, facetsOf(info)) } };

/** The benchmark's questions have no fragments. */
function facetsOf({ fieldNodes: [field] }) {
  const selected = field.selectionSet.selections.map(({ name }) => name.value);
  return FACETS.filter((facet) => selected.includes(facet));
}

/** Each listens on 127.0.0.1 and answers POST at `/graphQL`. */
const KINDS = {
  mercurius: async () => {
    const { default: fastify } = await import('fastify');
    const { default: mercurius } = await import('mercurius');
    const app = fastify();
    await app.register(mercurius, { schema: SDL, resolvers, path: '/graphQL', jit: 1 });
    await app.listen({ port, host: '127.0.0.1' });
  },
  apollo: async () => {
    const { ApolloServer } = await import('@apollo/server');
    const { startStandaloneServer } = await import('@apollo/server/standalone');
    const server = new ApolloServer({ typeDefs: SDL, resolvers });
    await startStandaloneServer(server, { listen: { port, host: '127.0.0.1' } });
  },
  yoga: async () => {
    const { createSchema, createYoga } = await import('graphql-yoga');
    const schema = createSchema({ typeDefs: SDL, resolvers });
    const yoga = createYoga({ schema, graphqlEndpoint: '/graphQL', logging: false });
    createServer(yoga).listen(port, '127.0.0.1');
  },
  // No GraphQL at all: the variables are the question, and the answer is the whole page. Only facets have `hits`.
  sql: async () => {
    serve(async (body) => {
      const { query, variables } = JSON.parse(body);
      const facets = query.includes(' hits ') ? FACETS : [];
      return JSON.stringify({ data: { events: await calendar.events(variables, facets) } });
    });
  },
  // Whole responses are cached, by the text of the request.
  array: async () => {
    const answer = await openArray(file);
    const cached = createAnswerCache();
    serve((body) => cached(body, async () => Buffer.from(answer(body))));
  },
};

/** Without a framework. `answer` makes the response to a body. */
function serve(answer) {
  createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      // The benchmark asks without a body whether the server is ready.
      const body = chunks.length === 0 ? '' : await answer(Buffer.concat(chunks).toString());
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  }).listen(port, '127.0.0.1');
}

await KINDS[kind]();
