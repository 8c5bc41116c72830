/** Sets the value as the latest of a map that is bounded in number, and forgets the oldest one if there are more then. */
export function keepLatest<K, V>(values: Map<K, V>, key: K, value: V, most: number): void {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > most && oldest !== undefined) values.delete(oldest);
}
