/** Counts the checks of the trial, and looks at the sites as visitors see them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newBrowser, wordsOf } from './browser.mjs';

export const KONSERN = 'https://konsern.example';
export const AVIS = 'https://avis.example';
export const BLAD = 'https://blad.example';
export const BYGD = 'https://bygd.example';

/** The folder with the files of the run, the Debian system of the sites, its release, and the secret word of the group's list. */
export const { PLACE: place, ROOT: root, RELEASE: release, WORD: word } = process.env;

/** Seconds: after a minute, the plugin reads a list again, or asks the calendar, at the next page view. */
export const A_MINUTE = 90;

/** Those that have held. */
export const titles = [];

/** The first check that fails ends the trial. */
export async function check(title, holds) {
  console.log(`- ${title}`);
  try {
    await holds();
  } catch (error) {
    throw new Error(`${title}: ${error.message}`, { cause: error });
  }
  titles.push(title);
}

const visitor = newBrowser();
export const open = (address, options) => visitor.open(address, options);

/** The page with the lists. */
export const listOf = (home) => open(`${home}/kalender/`);

/** The page of an event, without following redirects. `rest` comes after its address. */
export const eventPage = (home, { slug }, rest = '') =>
  open(`${home}/arrangement/${slug}${rest}`, { isFollowed: false });

/** The slugs in the links of lists, each once. */
export const slugsIn = ({ text }) => [
  ...new Set([...text.matchAll(/\/arrangement\/([a-z0-9-]+)\?dato=/g)].map(([, slug]) => slug)),
];

export const isListed = async (home, { slug }) => slugsIn(await listOf(home)).includes(slug);

/** Whether neither the lists nor the page of the event show it. */
export async function isGone(home, event) {
  return !(await isListed(home, event)) && (await eventPage(home, event)).status === 410;
}

/** The plugin's own sitemap, and its part of that of WordPress. */
export async function sitemapsOf(home) {
  const addresses = [`${home}/?almanakk_sitemap=1`, `${home}/wp-sitemap-almanakk-1.xml`];
  return Promise.all(addresses.map(async (address) => linksIn((await open(address)).text)));
}

const linksIn = (xml) => [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, link]) => link);

/** As the `crontab` of a site does each minute. */
export const runCron = (home) => open(`${home}/wp-cron.php`);

export function expectStatus(page, status) {
  if (page.status !== status)
    throw new Error(`expected HTTP ${status} of ${page.address}, found ${page.status}\n${wordsOf(page)}`);
  return page;
}

/** What PHP says of WordPress 6.1 when it compiles classes that WordPress has for requests, whatever runs. */
const OF_OLD_CLASSES = /Return type of Requests_\w+::.* should either be compatible/;
/** What WordPress itself makes PHP log: its login page does so in 6.1. */
const ownMessages = new Set();

/** Before the plugin is there. */
export function emptyLogsOfWordPress() {
  for (const line of logLines()) ownMessages.add(messageOf(line));
  emptyLogs();
}

/** What PHP and WordPress have logged since these files were emptied, without WordPress's own messages. Each line begins with the name of its file. */
export function logLines() {
  return logFiles().flatMap((name) => {
    const lines = readFileSync(join(logs, name), 'utf8').split('\n');
    const counted = lines.filter(
      (line) => line !== '' && !OF_OLD_CLASSES.test(line) && !ownMessages.has(messageOf(line)),
    );
    return counted.map((line) => `${name}: ${line}`);
  });
}

export function emptyLogs() {
  for (const name of logFiles()) writeFileSync(join(logs, name), '');
}

const logs = join(root, 'var/log/sites');
const logFiles = () => readdirSync(logs);

/** Without the file of the log, the time, and the folder of the site. */
const messageOf = (line) => line.replace(/^.*?\[[^\]]*\] /, '').replace(/\/srv\/\w+\//g, '');

/** Resolves to the seconds that it took. */
export async function until(seconds, what, holds) {
  const begun = Date.now();
  let found = '';
  while (Date.now() - begun < seconds * 1_000) {
    try {
      if (await holds()) return (Date.now() - begun) / 1_000;
      found = '';
    } catch (error) {
      found = `, found ${error.message}`;
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  throw new Error(`expected within ${seconds} s: ${what}${found}`);
}
