/** The words of JSON Schema that are used here; what they do not say is said in `description`. */
export interface JsonSchema {
  /** What is accepted, to be read after "takes". */
  readonly description?: string
  readonly type?: JsonType | readonly JsonType[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly pattern?: string
}

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'

/** Integers beyond this are not exact. */
export const largestExactInteger = Number.MAX_SAFE_INTEGER
