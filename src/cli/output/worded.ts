type Texts = Readonly<Record<string, (data: never) => unknown>>

type DataOf<Text> = Text extends (data: infer Data) => unknown
  ? unknown extends Data
    ? object
    : Readonly<Data>
  : never

/** What a table of texts has words for: data by its type, a key of the table. */
export type Worded<Table extends Texts> = {
  [Type in keyof Table]: { readonly type: Type } & DataOf<Table[Type]>
}[keyof Table]

/** The words that a table has for data of one of its types. */
export function wordsOf<Table extends Texts>(table: Table, data: Worded<Table>): ReturnType<Table[keyof Table]> {
  const text = table[data.type] as (data: Worded<Table>) => ReturnType<Table[keyof Table]>
  return text(data)
}
