/**
 * H12: whether an update has replaced the file of Node while this process runs the old one. Linux then adds a word to the link that names the
 * file of a process.
 */
import { readlinkSync } from 'node:fs';

const OWN_FILE = '/proc/self/exe';

/** False where the system has no such link. */
export function isNodeReplaced(link = OWN_FILE): boolean {
  try {
    return readlinkSync(link).endsWith(' (deleted)');
  } catch {
    return false;
  }
}
