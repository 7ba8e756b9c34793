/**
 * H12: whether an update has replaced the Node executable, while this process still runs the old one. Linux then adds a word to the link that
 * names the executable of a process.
 */
import { readlinkSync } from 'node:fs';

const OWN_FILE = '/proc/self/exe';

/** False on systems that have no such link. */
export function isNodeReplaced(link = OWN_FILE): boolean {
  try {
    return readlinkSync(link).endsWith(' (deleted)');
  } catch {
    return false;
  }
}
