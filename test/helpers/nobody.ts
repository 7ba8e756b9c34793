/** The user id of Debian's `nobody`. */
const NOBODY = 65_534;

/**
 * Does some work without the rights of a superuser, who can read every file. The effective user id is that of the whole process: work that
 * runs at the same time has no rights either.
 */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isSuperuser = process.geteuid?.() === 0;
  if (isSuperuser) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
}
