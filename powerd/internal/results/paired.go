package results

// TwinInterface is the interface of a drive that was made together with its module, for
// the run: nothing has to show that they belong together.
const TwinInterface = "twin"

// unpaired says why the power may be another drive's, whose cable hangs on the module;
// "" = the pairing is known.
func (d *Document) unpaired() string {
	if p := d.Bench.Pairing; d.Drive.Interface == TwinInterface || p != nil && p.Confirmed {
		return ""
	}
	how := "a run that loads it shows it"
	if d.Bench.Name != "" {
		how = "`powerd pair " + d.Bench.Name + "` shows it"
	}
	return "nothing shows that the drive hangs on this module: whose power this is, is believed; " + how
}

// pairingKnown warns of figures that nothing shows to be the drive's.
func (d *Document) pairingKnown() {
	if why := d.unpaired(); why != "" {
		d.warn("pairing_not_shown", why)
	}
}
