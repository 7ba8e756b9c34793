/**
 * An object store for a cluster on this machine: OpenStack Swift, as the tests start it, on port 5000 of every address, with the bucket
 * `kalender`. Its key is `test:tester`, with the secret `testing`. Run with `node --import tsx .ci/store.mjs`; it ends with the process.
 */
import { connect, createServer } from 'node:net';
import { startSwift } from '../test/helpers/swift.ts';

const PORT = 5000;

const swift = await startSwift();
await swift.makeBucket('kalender');
const forward = createServer((client) => {
  const store = connect(Number(swift.url.port), swift.url.hostname);
  client.pipe(store).pipe(client);
  client.on('error', () => store.destroy());
  store.on('error', () => client.destroy());
});
forward.listen(PORT, '0.0.0.0', () => console.log(`ready on port ${PORT}`));
