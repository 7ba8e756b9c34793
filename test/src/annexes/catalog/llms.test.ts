/** I14: `/llms.txt` describes the calendar to programs that read texts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertBelow, assertDefined, assertIncludes, assertOneOf } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { eachIn } from '../../../helpers/html.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

interface Context {
  running: Running;
  text: string;
}

const test = suite<Context>('llms.txt');

test.before(async (context) => {
  context.running = await startBuilt(packagePath('data/sample'), NOW);
  const { headers, text } = await context.running.send('/llms.txt');
  assert.is(headers['content-type'], 'text/plain; charset=utf-8');
  context.text = text;
});
test.after(({ running }) => running.close());

test('I14: should begin with the name of the calendar, and be short', ({ text }) => {
  assert.match(text, /^# Det skjer i Trøndelag\n\n> /);
  assertBelow(Buffer.byteLength(text), 2_500, 'bytes');
});

const linksIn = (text: string) => eachIn(text, /\]\((http[^)]+)\)/g);

for (const path of ['/mcp', '/graphQL', '/events.json', '/openapi.json']) {
  test(`I14: should link to ${path}`, ({ running, text }) => {
    assertIncludes(linksIn(text), `${running.url}${path}`);
  });
}

/** Addresses that answer a POST, and refuse a GET without a query. */
const POSTED: readonly string[] = ['/mcp', '/graphQL'];

test('I14: should link to nothing but addresses that the server has', async ({ text }) => {
  for (const address of linksIn(text)) {
    const expected = POSTED.includes(new URL(address).pathname) ? [400, 405] : [200];
    assertOneOf((await fetch(address)).status, expected, `for ${address}`);
  }
});

test('I14: should show the address of a list that the server answers', async ({ text }) => {
  const [, address] = /`(http\S+period=WEEKEND\S*)`/.exec(text) ?? [];
  assertDefined(address, 'an address of the coming weekend');
  assert.is((await fetch(address)).status, 200, address);
});

test('I14: should show a query that the endpoint answers without errors', async ({ running, text }) => {
  const [, body] = /such as `(\{"query".*\})`/.exec(text) ?? [];
  assertDefined(body, 'a body with a query');
  await running.ask(JSON.parse(body).query);
});

test.run();
