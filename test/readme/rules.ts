/**
 * The rule for each block of code in README.md and docs/. Rules know a block by its shape, so pages and sections may be renamed and moved.
 * To check a new kind of block, add a rule to the file of its readers: `calendar-rules.ts` for people with sources, `clients-rules.ts` for
 * programmers, `operating-rules.ts` for administrators, `general-rules.ts` for all others.
 */
import { type Block, blocksOf, hasShape, isOnDebian, TWO_MACHINES } from './blocks.ts';
import { CALENDAR_RULES } from './calendar-rules.ts';
import { isHeldBy, type Rule } from './checks.ts';
import { CLIENTS_RULES } from './clients-rules.ts';
import { allPages } from './document.ts';
import { GENERAL_RULES } from './general-rules.ts';
import { OPERATING_RULES } from './operating-rules.ts';

/** In this order: the first rule whose shape a block has is its rule. The general ones have the widest shapes. */
const RULES = [...CALENDAR_RULES, ...CLIENTS_RULES, ...OPERATING_RULES, ...GENERAL_RULES];

const onDebian = isHeldBy('test/heavy/debian.test.ts');
const onTwoMachines = isHeldBy('.ci/debian-pair.sh');

/** The rule of a block; undefined if no rule has its shape. */
export function ruleOf(block: Block): Rule | undefined {
  if (block.page === TWO_MACHINES && block.language === 'sh') return { shape: {}, check: onTwoMachines };
  if (isOnDebian(block)) return { shape: {}, check: onDebian };
  return RULES.find(({ shape }) => hasShape(block, shape));
}

/** Rules without a block of their shape: the page has changed, or the rule is no longer needed. */
export function unusedRules(blocks: readonly Block[]): readonly Rule[] {
  const used = new Set(blocks.map(ruleOf));
  return RULES.filter((rule) => !used.has(rule));
}

/** Pages whose blocks need the results of others: settings first, then the files of a calendar. */
const FIRST = ['docs/source-format.md', 'docs/sources.md', 'docs/feeds.md'];

/** All pages, in the order in which their blocks can be run in one world. */
export function pagesInOrder(): readonly string[] {
  const pages = allPages();
  const withSettings = pages.filter((page) => blocksOf(page).some(({ file }) => file === '.env'));
  const first = FIRST.filter((page) => pages.includes(page));
  return [...new Set([...withSettings, ...first, ...pages])];
}
