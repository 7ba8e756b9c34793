// GraphQL Yoga on node:http.   node yoga.mjs RECORDS
import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import { loadCalendar, resolversFor, sdl } from './memory.mjs';

const resolvers = resolversFor(loadCalendar(process.argv[2]));
const yoga = createYoga({ schema: createSchema({ typeDefs: sdl, resolvers }), graphiql: false });
createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1');
