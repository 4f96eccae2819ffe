"""One sender of today's kind beside recorded senders of Linux 6.18: CUBIC, HyStart, RACK-TLP, PRR, undo.

Source: Linux 6.18, data/linux_windows.csv and the other tables `linux_*` there but those of `validation.linux` and `validation.bbr`.
Packets are lost, late or marked by their number on the wire, so that both sides see the same as
long as they send the same.

One file compares one thing: `windows` the loss episodes, `cubic` what is between them, `prr` what each acknowledgement lets go, `tails`
probes and timers, `reordering` late packets and withdrawn cuts, `hystart` the end of slow start, `shares` CUBIC beside Reno. `cases`
says how each recording is set up here, `trace` reads runs, `words` makes the tables of the page and `picture` its figure.
"""
