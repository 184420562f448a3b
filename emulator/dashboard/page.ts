import type { HttpResponse } from '../http.ts'
import icon from '../site/assets/icon.svg?text'
import { createAssetTable } from '../site/html/asset-table.ts'
import { type Html, html } from '../site/html/html.ts'
import { documentReply } from '../site/html/html-document.ts'
import stylesheet from './assets/dashboard.css?text'
import program from './assets/main.ts?script'
import signIn from './assets/sign-in.ts?script'

export const dashboardPath = '/_emulator/ui'

const javaScript = 'text/javascript; charset=utf-8'

/** The dashboard's own files, served below it: the website may be elsewhere. */
export const dashboardAssets = createAssetTable({
  'icon.svg': { text: icon, type: 'image/svg+xml' },
  'dashboard.css': { text: stylesheet, type: 'text/css; charset=utf-8' },
  'sign-in.js': { text: signIn, type: javaScript },
  'dashboard.js': { text: program, type: javaScript },
})

const address = (...[name]: Parameters<typeof dashboardAssets.path>) => `${dashboardPath}/${dashboardAssets.path(name)}`

/** The frame of the page, which its program fills. @param proof what the program sends with its writes */
export function dashboardPage(proof: string): HttpResponse {
  const headings = ['Requests', 'Quota', 'Clock', 'Faults', 'Accounts', 'Settings', 'State']
  const links = headings.map((heading) => html`<a href="#${heading.toLowerCase()}">${heading}</a>`)
  const [requests = '', quota = '', clock = '', ...others] = headings.map(section)
  const content = html`<a class="skip" href="#requests">Skip to the requests</a>
<header><h1 class="row"><img src="${address('icon.svg')}" alt="" width="24" height="24">filehost <span>emulator</span></h1><nav aria-label="Sections">${links}</nav><p class="row" id="status"></p></header>
<noscript><p class="notice bad">This page needs JavaScript: it is a program over the control API, which curl and the typed calls of tests use too.</p></noscript>
<main data-proof="${proof}">${requests}
<div class="column">${quota}${clock}</div>
${others}</main><p id="toast" role="status"></p>`
  const { headers, ...reply } = document(200, 'Dashboard', content, 'dashboard.js')
  // Pictures that were sent in requests are shown from memory.
  const policy = headers['Content-Security-Policy']?.replace("img-src 'self'", "img-src 'self' blob:") ?? ''
  return { ...reply, headers: { ...headers, 'Content-Security-Policy': policy } }
}

function section(heading: string): Html {
  const name = heading.toLowerCase()
  return html`<section id="${name}" aria-labelledby="${name}-heading"><h2 id="${name}-heading">${heading}</h2><div class="said" role="status"></div><div class="body"></div></section>`
}

/** A page with a sentence, and the way back. */
export function messagePage(status: number, heading: string, advice: string): HttpResponse {
  const content = html`<main class="message"><h1>${heading}</h1><p>${advice}</p><p><a href="${dashboardPath}">Open the dashboard</a></p></main>`
  return document(status, heading, content)
}

export function signInPage(status: number, problem?: string): HttpResponse {
  const marks = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  const content = html`<main class="message"><h1>Dashboard of the emulator</h1>
<p>From another machine or through a proxy it needs the control token: <code>fh emulate --control-token</code> sets it, and an emulator that other machines can reach shows it when it starts.</p>
<form method="post" action="${dashboardPath}/sign-in"><span class="field"><label for="control_token">Control token</label><input id="control_token" name="control_token" type="password" autocomplete="off" required${marks}>${
    problem !== undefined && html`<span class="problem" id="problem">${problem}</span>`
  }</span><button>Open</button></form></main>`
  return document(status, 'Sign in', content, 'sign-in.js')
}

function document(status: number, title: string, content: Html, script?: 'dashboard.js' | 'sign-in.js'): HttpResponse {
  return documentReply({
    status,
    language: 'en',
    title: `${title} · filehost emulator`,
    icon: address('icon.svg'),
    stylesheet: address('dashboard.css'),
    scripts: script === undefined ? [] : [address(script)],
    content,
    isPersonal: true,
  })
}
