package storetest

var customerProfile = &transaction{
	call: func(e *env) call {
		id := e.customerID(0)
		return reading(watch{customers: ids{id}}, e.s.CustomerProfile, id)
	},
	cases: []testCase{
		{name: "CustomerProfile/Answer", run: func(e *env) {
			for _, k := range sample(int64(len(e.customers)), 50) {
				e.same("the profile", refProfile(e.customers[k]), e.got(e.s.CustomerProfile(e.Context(), e.customerID(k))))
			}
		}},
	},
}

func refProfile(c *element) *element {
	return build(custacc, "Customer_Profile", []string{"CUSTOMERID", c.attrs["id"]},
		c.child("Name"), c.child("DateOfBirth"), c.child("Gender"), c.child("CountryOfResidence"), c.child("Languages"),
		build(custacc, "Addresses", nil, c.child("Addresses").children("Address")), c.child("Addresses", "EmailAddresses"))
}
