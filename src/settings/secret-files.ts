/** H8: secrets in files, as containers and systemd provide them: `ALMANAKK_ADMIN_TOKEN_FILE` names the file of a secret. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../calendar/errors.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface SecretsRead {
  /** With the secrets, and without the variables that named their files. */
  readonly variables: Variables;
  /** The variables whose files were read. */
  readonly read: readonly string[];
  /** Messages about the others. */
  readonly faults: readonly string[];
}

/** Relative paths begin in `folder`. */
export function withSecretFiles(variables: Variables, folder: string): SecretsRead {
  const resolved = { ...variables };
  const read: string[] = [];
  const faults: string[] = [];
  for (const [name, path = ''] of Object.entries(variables)) {
    const [, secret] = IN_FILE.exec(name) ?? [];
    if (secret === undefined) continue;
    const found = variables[secret] === undefined ? readSecret(resolve(folder, path)) : BOTH;
    if ('text' in found) {
      read.push(name);
      resolved[secret] = found.text;
      delete resolved[name];
    } else faults.push(`${name}: ${found.fault}`);
  }
  return { variables: resolved, read, faults };
}

/** The secrets are named by their form: other names that end like this are settings, or belong to Amazon's programs. */
const IN_FILE =
  /^(ALMANAKK_(?:\w+_)?(?:TOKENS?|SECRET|SMTP_URL|HOOKS)|AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))_FILE$/;

const BOTH = { fault: 'expected either a file or the value itself, found both: remove one of them' };

function readSecret(path: string): { readonly text: string } | { readonly fault: string } {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { fault: `expected a value in ${path}, found an empty file` } : { text };
  } catch (cause) {
    return { fault: `expected a readable file, found ${messageOf(cause)}` };
  }
}
