import { createServer } from 'node:http'

const html = '<!doctype html><p>A page of another origin'
createServer((_, response) => response.setHeader('content-type', 'text/html').end(html)).listen(
  process.env.PAGE_PORT,
  '127.0.0.1',
)
