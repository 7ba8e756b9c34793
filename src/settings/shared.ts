/** Settings that annexes of both halves have. */
import { mailbox, orNone, type SettingsTable, smtpServer, token, yesOrNo } from './kinds.ts';

/** Of those who offer a snapshot folder, and of those who copy it. */
export const SNAPSHOTS_TOKEN = {
  snapshotsToken: {
    name: 'ALMANAKK_SNAPSHOTS_TOKEN',
    description:
      'What `/snapshots/` and `/calendar.sqlite` ask for, as Bearer token, and what a replica sends to its origin; without one they are open.',
    ...orNone(token()),
    isSecret: true,
  },
} as const satisfies SettingsTable;

/** Of those who send mails. */
export const MAIL = {
  smtpUrl: {
    name: 'ALMANAKK_SMTP_URL',
    description:
      'Mail server through which `npm run announce` sends, such as `smtp://name:password@mail.example:587` or `smtps://…`.',
    ...orNone(smtpServer()),
    isSecret: true,
  },
  mailFrom: {
    name: 'ALMANAKK_MAIL_FROM',
    description: 'Sender of its mails, who also gets the answers: an address, or `Name <address>`.',
    ...orNone(mailbox()),
  },
} as const satisfies SettingsTable;

/** Of those who fetch what others name. */
export const PRIVATE_FEEDS = {
  allowPrivateFeeds: {
    name: 'ALMANAKK_ALLOW_PRIVATE_FEEDS',
    fallback: 'false',
    description:
      'Whether feeds may be fetched from private and loopback addresses, and an origin may redirect there.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;
