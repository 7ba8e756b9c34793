/** Concerns about this machine: its disk, its backups and its mails. */
import { commandLine } from '../../../package.ts';
import type { InEach } from '../../page/reader.ts';
import type { DiskHealth } from '../disk.ts';
import { because, type Concerns } from './concern.ts';

const TEST = commandLine('announce', '--test');

/** Those that do most harm first. */
export const OF_MACHINE: Concerns = {
  'disk nearly full': {
    what: {
      nb: 'Disken med kalenderfilene er nesten full.',
      en: 'The disk with the snapshot folder is nearly full.',
      nn: 'Disken med kalenderfilene er nesten full.',
    },
    advice: {
      nb: 'Frigjør plass. Hvis en bygging ikke får plass, blir ingenting publisert.',
      en: 'Free some space. A build that runs out of space publishes nothing.',
      nn: 'Frigjer plass. Om ei bygging ikkje får plass, blir ingenting publisert.',
    },
    find: ({ disk }) => disk?.isNearlyFull && { details: [freeIn(disk)] },
  },
  'backup old': {
    what: {
      nb: 'Det er mer enn 26 timer siden siste sikkerhetskopi.',
      en: 'The last backup is more than 26 hours old.',
      nn: 'Det er meir enn 26 timar sidan siste tryggingskopi.',
    },
    advice: {
      nb: 'Kontroller at jobben som tar sikkerhetskopi, er slått på, og les loggen dens.',
      en: 'Check that the backup job is enabled, and read its log.',
      nn: 'Kontroller at jobben som tek tryggingskopi, er slått på, og les loggen til jobben.',
    },
    find: ({ backup }) => backup?.isOld && { since: backup.lastAt },
  },
  'mail failing': {
    what: {
      nb: 'Varsler til driften kan ikke sendes på e-post.',
      en: 'Alert emails cannot be sent.',
      nn: 'Varsel til drifta kan ikkje sendast på e-post.',
    },
    advice: {
      nb: `Kontroller at serveren i ALMANAKK_SMTP_URL svarer, og prøv ${TEST} ADRESSE.`,
      en: `Check that the server in ALMANAKK_SMTP_URL answers, and try ${TEST} ADDRESS.`,
      nn: `Kontroller at serveren i ALMANAKK_SMTP_URL svarar, og prøv ${TEST} ADRESSE.`,
    },
    find: ({ mail }) => mail && because(mail.since, mail.reason),
  },
};

function freeIn({ freeBytes }: DiskHealth): InEach<string> {
  const megabytes = Math.floor(freeBytes / 1_024 / 1_024);
  return { nb: `${megabytes} MB ledig`, en: `${megabytes} MB free`, nn: `${megabytes} MB ledig` };
}
