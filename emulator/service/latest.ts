/** So many that no honest user loses one; more would fill the memory. */
const mostKept = 1_000

/** Sets a value in a map that forgets what was set longest ago, for what strangers may send without end. */
export function keepLatest<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > mostKept && oldest !== undefined) map.delete(oldest)
}
