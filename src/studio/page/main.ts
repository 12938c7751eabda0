import { h, render } from 'preact'
import { App } from './app.ts'
import { takeToken } from './client.ts'

takeToken()
const place = document.getElementById('studio')
if (place !== null) render(h(App, {}), place)
