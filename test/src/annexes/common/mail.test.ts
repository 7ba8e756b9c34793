/** Mails from header to header: no text of others adds a header, a recipient or a second body. */
import PostalMime from 'postal-mime';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMailer, type Mail } from '../../../../src/annexes/common/mail.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { startMailServer } from '../../../helpers/mail-server.ts';

const mails = suite('mails');

const SENDER = { name: 'Kalenderen', address: 'kalender@by.example' };
const PLAIN: Mail = {
  from: SENDER,
  to: 'drift@by.example',
  replyTo: SENDER,
  subject: 'Endringer',
  text: 'Hei',
  messageId: 'one@by.example',
  unsubscribe: 'mailto:kalender@by.example?subject=unsubscribe',
  date: new Date('2026-11-22T10:00:00Z'),
};

/** Ends of lines in each form, then a header, a recipient, and a body. */
const INJECTED = ['\r\n', '\n', '\r', '\u2028', '\0\r\n'].map(
  (end) => `Avis${end}Bcc: all@evil.example${end}X-Evil: yes${end}${end}<b>Body</b>`,
);

const FORMS: readonly (readonly [what: string, form: (text: string) => Partial<Mail>])[] = [
  ['a subject', (subject) => ({ subject })],
  ["the sender's name", (name) => ({ from: { ...SENDER, name }, replyTo: { ...SENDER, name } })],
  ['a text and its HTML', (text) => ({ text, html: text })],
  ['an address to unsubscribe at', (text) => ({ unsubscribe: `mailto:a@by.example?subject=${text}` })],
  ['a recipient', (text) => ({ to: `drift@by.example${text.slice(4)}` })],
];

for (const [what, form] of FORMS) {
  mails(`K3: should let nothing into the headers by ${what}`, async () => {
    const server = await startMailServer();
    const { send } = createMailer(new URL(`smtp://127.0.0.1:${server.port}`));
    await send(PLAIN);
    const [plain] = server.mails;
    assertDefined(plain, 'a mail');
    const usual = await keysOf(plain.raw);
    for (const text of INJECTED) {
      const before = server.mails.length;
      const failure = await send({ ...PLAIN, ...form(text) });
      const arrived = server.mails.slice(before);
      assert.is(arrived.length, failure === null ? 1 : 0);
      for (const { raw, to } of arrived) {
        assert.equal(to, [PLAIN.to], JSON.stringify(text));
        assert.equal(
          (await keysOf(raw)).filter((key) => !usual.includes(key)),
          [],
          JSON.stringify(text),
        );
      }
    }
    assert.equal([...new Set(server.tried)], [PLAIN.to]);
    await server.close();
  });
}

/** Names of headers, but for those that an HTML part brings. */
async function keysOf(raw: string): Promise<readonly string[]> {
  return (await PostalMime.parse(raw)).headers.map(({ key }) => key).sort();
}

mails.run();
