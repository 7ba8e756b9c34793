// Mercurius on Fastify, with or without its just-in-time compiler.   node mercurius.mjs RECORDS [jit]
import fastify from 'fastify';
import mercurius from 'mercurius';
import { loadCalendar, resolversFor, sdl } from './memory.mjs';

const [records, jit] = process.argv.slice(2);
const resolvers = resolversFor(loadCalendar(records));
const app = fastify();
app.register(mercurius, { schema: sdl, resolvers, jit: jit === 'jit' ? 1 : 0 });
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
