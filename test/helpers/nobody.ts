/** Does some work with the rights of somebody who owns nothing: for a superuser there is no file that cannot be read. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isSuperuser = process.geteuid?.() === 0;
  if (isSuperuser) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
}
