/** K3: no text from outside adds a header, a recipient or a second body to a mail. */
import PostalMime from 'postal-mime';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMailer, type Mail } from '../../../../src/annexes/common/mail.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { type MailServerOptions, startMailServer } from '../../../helpers/mail-server.ts';

const mails = suite('mails');
const opened = closedAfterEach(mails);

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

interface Injection {
  readonly place: string;
  /** The parts of a mail that contain a text from outside. */
  readonly partsWith: (text: string) => Partial<Mail>;
}

const INJECTIONS: readonly Injection[] = [
  {
    place: 'a subject',
    partsWith: (subject) => ({ subject }),
  },
  {
    place: "the sender's name",
    partsWith: (name) => ({ from: { ...SENDER, name }, replyTo: { ...SENDER, name } }),
  },
  {
    place: 'a text and its HTML',
    partsWith: (text) => ({ text, html: text }),
  },
  {
    place: 'an address to unsubscribe at',
    partsWith: (text) => ({ unsubscribe: `mailto:a@by.example?subject=${text}` }),
  },
  {
    place: 'a recipient',
    partsWith: (text) => ({ to: `drift@by.example${text.slice(4)}` }),
  },
];

for (const { place, partsWith } of INJECTIONS) {
  mails(`K3: should add no header or recipient from ${place}`, async () => {
    const server = opened(await startMailServer());
    const { send } = createMailer(new URL(`smtp://127.0.0.1:${server.port}`));
    await send(PLAIN);
    const [plain] = server.mails;
    assertDefined(plain, 'a mail');
    const usual = await headersOf(plain.raw);
    for (const text of INJECTED) {
      const before = server.mails.length;
      const failure = await send({ ...PLAIN, ...partsWith(text) });
      const arrived = server.mails.slice(before);
      const shown = JSON.stringify(text);
      assert.is(arrived.length, failure === null ? 1 : 0, `mails with ${shown}`);
      for (const { raw, to } of arrived) {
        assert.equal(to, [PLAIN.to], `recipients with ${shown}`);
        const added = (await headersOf(raw)).filter((name) => !usual.includes(name));
        assert.equal(added, [], `headers with ${shown}`);
      }
    }
    assert.equal([...new Set(server.tried)], [PLAIN.to], 'recipients that were tried');
  });
}

/** K3: a refusal, and whether any other mail would be refused, too. */
const REFUSALS: readonly [title: string, MailServerOptions, isOfServer: boolean][] = [
  ['a refused sender with the server', { refuseSender: '550 5.7.1 Sender refused' }, true],
  ['a refused recipient with the mail', { refuse: () => '550 5.1.1 No such user' }, false],
];

for (const [title, options, isOfServer] of REFUSALS) {
  mails(`K3: should count ${title}`, async () => {
    const server = opened(await startMailServer(options));
    const { send } = createMailer(new URL(`smtp://127.0.0.1:${server.port}`));
    const failure = await send(PLAIN);
    assert.match(failure?.reason ?? '', / refused| rejected/);
    assert.is(failure?.isOfServer, isOfServer);
  });
}

/** The names of a mail's headers; an HTML part has headers of its own, which are not among them. */
async function headersOf(raw: string): Promise<readonly string[]> {
  return (await PostalMime.parse(raw)).headers.map(({ key }) => key).sort();
}

mails.run();
