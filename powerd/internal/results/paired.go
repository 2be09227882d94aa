package results

// pairingKnown warns of figures that nothing shows to be the drive's: its cable may hang
// on another module. An emulated module measures what it is made to.
func (d *Document) pairingKnown() {
	if p := d.Bench.Pairing; d.Suite.Simulated || p != nil && p.Confirmed {
		return
	}
	how := "a run that loads it shows it"
	if d.Bench.Name != "" {
		how = "`powerd pair " + d.Bench.Name + "` shows it"
	}
	d.warn("pairing_not_shown", "nothing shows that the drive hangs on this module: whose power this is, is believed; "+how)
}
