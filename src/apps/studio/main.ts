import { h, render } from 'preact'
import { App } from './app.ts'
import { takeToken } from './client.ts'
import { showAllTexts } from './shown-text.ts'

takeToken()
showAllTexts()
const place = document.getElementById('studio')
if (place !== null) render(h(App, {}), place)
