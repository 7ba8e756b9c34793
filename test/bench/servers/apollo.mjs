// Apollo Server, standalone as its own documentation has it.   node apollo.mjs RECORDS
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { loadCalendar, resolversFor, sdl } from './memory.mjs';

const resolvers = resolversFor(loadCalendar(process.argv[2]));
const server = new ApolloServer({ typeDefs: sdl, resolvers });
await startStandaloneServer(server, { listen: { port: Number(process.env.PORT), host: '127.0.0.1' } });
